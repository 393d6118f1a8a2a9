"""curl's most used options, each with command lines that it and anet are given alike.

URLs: {u} of the server, {p} the server again, as a proxy, {s} over TLS, {i} over TLS with a client's certificate.
Files of the folder that both run in: text, with two lines; big, of more than 1 MiB; jar, of cookies; headers; ca.pem, client.pem, client.key.
"""
from dataclasses import dataclass


@dataclass
class Case:
    options: str
    """Given to both; a word with a space stands in single quotes."""
    arguments: str
    curl: str = ""
    """Given to curl only, so that both do the same."""
    anet: str = ""
    input: bytes = b""
    compares_agent: bool = False
    compares_heads: bool = False
    remark: str = ""


ANYAUTH = "as with curl's --anyauth; with --basic at once"
CASES = [
    Case("`-X`, `--request`", "-X DELETE {u}"),
    Case("`-X`, `--request`", "-XPATCH -d a=1 {u}"),
    Case("`-H`, `--header`", "-H 'X-A: 1' -H 'X-B;' -H Accept: -H 'X-A: 2' {u}"),
    Case("`-H`, `--header`", "-H @headers {u}"),
    Case("`-d`, `--data`", "-d a=1 -d 'b=2 3' {u}"),
    Case("`-d`, `--data`", "-d @text {u}"),
    Case("`-d`, `--data`", "-d @- {u}", input=b"from\r\nstandard input"),
    Case("`-d`, `--data`", "-d '' {u}"),
    Case("`-d`, `--data`", "-d a=1 -L {u}post-redirect", remark="-X does not outlive a redirect that changes the method"),
    Case("`--data-raw`", "--data-raw @text {u}"),
    Case("`--data-binary`", "--data-binary @text {u}"),
    Case("`--data-binary`", "--data-binary @big {u}"),
    Case("`--data-urlencode`", "--data-urlencode 'a b&c' --data-urlencode 'n=é ~/+' --data-urlencode '=x y' {u}"),
    Case("`--data-urlencode`", "-d a=1 --data-urlencode n@text --data-urlencode @text --data-raw @b {u}"),
    Case("`--json`", '--json \'{"a":1}\' {u}'),
    Case("`--json`", "--json @text -H 'Accept: x/y' {u}"),
    Case("`-G`, `--get`", "-G -d a=1 --data-urlencode 'b=2 3' {u}ok?c"),
    Case("`-G`, `--get`", "-G -I -d a=1 {u}"),
    Case("`-F`, `--form`", "-F a=1 -F f=@text;type=text/x;filename=n -F 'b=<text' -F 'c=x;type=text/html' {u}"),
    Case("`-F`, `--form`", "-F 'f=@big;type=x/y' {u}"),
    Case("`-F`, `--form`", "-F f=@small.txt --form-string 'd=@e;type=f' {u}"),
    Case("`-T`, `--upload-file`", "-T text {u}ok/"),
    Case("`-T`, `--upload-file`", "-T - {u}ok/x", input=b"x" * 5000, remark="a 100 response is waited for, as curl does"),
    Case("`-I`, `--head`", "-I {u}"),
    Case("`-i`, `--include`", "-i {u}404"),
    Case("`-i`, `--include`", "-iL {u}redirect", remark="without -L the last head only"),
    Case("`-L`, `--location`", "-L {u}redirect", remark="followed without -L too; --no-follow"),
    Case("`--max-redirs`", "-L --max-redirs 2 {u}loop", remark="20 by default, not 50"),
    Case("`-o`, `--output`", "-o out {u}", remark="whole or not at all"),
    Case("`-o`, `--output`", "-o - {u}"),
    Case("`-o`, `--output`", "-sS {u}a -o one {u}b -o two {u}c"),
    Case("`-o`, `--output`", "-s -o /dev/null -F a=1 {u}"),
    Case("`-O`, `--remote-name`", "-O {u}some/name.txt?query -O {u}some/other"),
    Case("`-O`, `--remote-name`", "-O {u}"),
    Case("`-J`, `--remote-header-name`", "-OJ {u}named/own.txt"),
    Case("`--create-dirs`, `--output-dir`", "--create-dirs --output-dir sub/folder -o x/y {u}"),
    Case("`-C`, `--continue-at`", "-C - -o new {u}", remark="continues a partial file of its own, NAME.partial, with If-Range; no offset"),
    Case("`-r`, `--range`", "-r 1-3 {u}"),
    Case("`-r`, `--range`", "-r 2- -o part {u}"),
    Case("`-f`, `--fail`", "-f {u}404"),
    Case("`-f`, `--fail`", "-f -o none {u}404"),
    Case("`--fail-with-body`", "--fail-with-body {u}404"),
    Case("`-s`, `--silent`", "-s {u}", remark="errors are told in spite of -s"),
    Case("`-S`, `--show-error`", "-sS {u}"),
    Case("`-v`, `--verbose`", "-v -H 'X-A: 1' -d a=1 {u}", compares_heads=True, remark="secrets redacted"),
    Case("`-v`, `--verbose`", "-vL {u}redirect", compares_heads=True),
    Case("`-u`, `--user`", "-u ada:secret {u}private", curl="--anyauth", remark=ANYAUTH),
    Case("`-u`, `--user`", "--basic -u ada:secret {u}private"),
    Case("`-A`, `--user-agent`", "-A 'me/1' {u}", compares_agent=True),
    Case("`-A`, `--user-agent`", "-A '' {u}", compares_agent=True),
    Case("`-e`, `--referer`", "-e http://from/ {u}"),
    Case("`-b`, `--cookie`", "-b 'a=b; c=d' -b e=f {u}"),
    Case("`-b`, `--cookie`", "-b jar {u}"),
    Case("`-c`, `--cookie-jar`", "-c new {u}cookies"),
    Case("`-c`, `--cookie-jar`", "-b jar -c jar -L {u}redirect"),
    Case("`--compressed`", "--compressed {u}gzip", remark="so always"),
    Case("`-w`, `--write-out`", "-w '%{http_code} %{size_download} %{num_redirects} %{method} %{http_version} %{scheme} %{url_effective}\\n' -L {u}redirect"),
    Case("`-w`, `--write-out`", "-s -o /dev/null -w '%{response_code}:%{content_type}:%{header_json}:%{exitcode}:%header{connection}:100%%\\t' {u}",
         remark="local_ip, local_port, remote_port, json and ssl_verify_result are refused"),
    Case("`-w`, `--write-out`", "-o out -w '%{filename_effective}%{stderr}e%{stdout} %{remote_ip} %{num_headers} %{size_header} %{redirect_url}' {u}redirect", anet="--no-follow"),
    Case("`-D`, `--dump-header`", "-D heads -L {u}redirect"),
    Case("`-D`, `--dump-header`", "-D - -o body {u}"),
    Case("`-x`, `--proxy`", "-x {p} http://example.invalid/a?b"),
    Case("`-x`, `--proxy`", "-x {p} -U ada:secret http://example.invalid/"),
    Case("`--noproxy`", "-x http://127.0.0.1:1 --noproxy localhost {u}"),
    Case("`--resolve`", "--resolve example.invalid:{port}:127.0.0.1 http://example.invalid:{port}/"),
    Case("`-m`, `--max-time`", "-m 0.3 {u}stall"),
    Case("`--connect-timeout`", "--connect-timeout 5 {u}"),
    Case("`--retry`, `--retry-delay`", "-o out --retry 1 --retry-delay 1 {u}busy", remark="what is retried is not printed; of idempotent methods only, unless --retry-all-errors"),
    Case("`--retry-all-errors`", "-f --retry 1 --retry-delay 1 --retry-all-errors -d a=1 {u}404"),
    Case("`--limit-rate`", "--limit-rate 100K {u}"),
    Case("`-k`, `--insecure`", "-k {s}"),
    Case("`--cacert`", "--cacert ca.pem {s}"),
    Case("`--cacert`", "{s}"),
    Case("`-E`, `--cert`, `--key`", "--cacert ca.pem -E client.pem --key client.key {i}"),
    Case("`--http1.1`", "--http1.1 {u}"),
    Case("`-4`, `--ipv4`", "-4 {u}"),
    Case("`-N`, `--no-buffer`", "-N {u}"),
    Case("`-#`, `--progress-bar`", "-# {u}", remark="shown on a terminal only"),
    Case("`--url`", "--url {u}a --url {u}b"),
    Case("`-Z`, `--parallel`", "-Z -o a {u}a", remark="output in the order of the URLs; --parallel N too"),
    Case("`--url-query`", "--url-query 'a=b c' --url-query +d {u}?q"),
    Case("`--interface`", "--interface 127.0.0.1 {u}"),
    Case("`-sSfLo`", "-sSfLo out {u}redirect", remark="letters stand together as in curl"),
]

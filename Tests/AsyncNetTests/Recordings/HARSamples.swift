/// Files as other programs write them, shortened.
enum HARSamples {
    /// The export of Chrome 131.
    static let chrome = #"""
        {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[{"startedDateTime":
        "2024-12-01T10:00:00.000Z","id":"page_1","title":"x","pageTimings":{"onContentLoad":1.5,"onLoad":null}}],
        "entries":[
        {"_connectionId":"12","_initiator":{"type":"script"},"_priority":"High","_resourceType":"fetch","cache":{},
        "connection":"443","pageref":"page_1","request":{"method":"POST","url":"https://api.example/users",
        "httpVersion":"http/2.0","headers":[{"name":":authority","value":"api.example"},{"name":":method",
        "value":"POST"},
        {"name":"content-type","value":"application/json"}],"queryString":[],"cookies":[],"headersSize":-1,
        "bodySize":12,
        "postData":{"mimeType":"application/json","text":"{\"name\":\"é\"}"}},"response":{"status":201,"statusText":"",
        "httpVersion":"http/2.0","headers":[{"name":"content-encoding","value":"br"},{"name":"content-length",
        "value":"31"},
        {"name":"content-type","value":"application/json"},{"name":"set-cookie","value":"a=1\nb=2"}],"cookies":[],
        "content":{"size":8,"mimeType":"application/json","text":"{\"id\":1}"},"redirectURL":"","headersSize":-1,
        "bodySize":-1,"_transferSize":131,"_error":null,"_fetchedViaServiceWorker":false},"serverIPAddress":"[::1]",
        "startedDateTime":"2024-12-01T10:00:00.100Z","time":54.5,"timings":{"blocked":0.5,"dns":-1,"ssl":-1,
        "connect":-1,
        "send":2,"wait":50,"receive":2,"_blocked_queueing":0.4}},
        {"_fromCache":"memory","cache":{},"request":{"method":"GET","url":"https://api.example/a.png",
        "httpVersion":"h3",
        "headers":[],"queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},"response":{"status":200,
        "statusText":"OK","httpVersion":"h3","headers":[],"cookies":[],"content":{"size":2,"mimeType":"image/png",
        "text":"iVA=","encoding":"base64"},"redirectURL":"","headersSize":-1,"bodySize":0},
        "startedDateTime":"2024-12-01T10:00:00.200Z","time":1,"timings":{"blocked":-1,"dns":-1,"ssl":-1,"connect":-1,
        "send":0,"wait":0,"receive":0}},
        {"cache":{},"request":{"method":"GET","url":"https://api.example/gone","httpVersion":"http/1.1","headers":[],
        "queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},"response":{"status":200,"statusText":"OK",
        "httpVersion":"http/1.1","headers":[],"cookies":[],"content":{"size":512,"mimeType":"text/html"},
        "redirectURL":"",
        "headersSize":-1,"bodySize":512},"startedDateTime":"2024-12-01T10:00:00.300Z","time":1,"timings":{"send":0,
        "wait":0,"receive":0}},
        {"cache":{},"request":{"method":"GET","url":"https://down.example/","httpVersion":"","headers":[],
        "queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},"response":{"status":0,"statusText":"",
        "httpVersion":"","headers":[],"cookies":[],"content":{"size":0,"mimeType":"x-unknown"},"redirectURL":"",
        "headersSize":-1,"bodySize":-1,"_error":"net::ERR_CONNECTION_REFUSED"},
        "startedDateTime":"2024-12-01T10:00:00.400Z","time":1,"timings":{"send":0,"wait":0,"receive":0}},
        {"_resourceType":"websocket","_webSocketMessages":[{"type":"send","time":1,"opcode":1,"data":"x"}],"cache":{},
        "request":{"method":"GET","url":"wss://api.example/socket","headers":[]},"response":{"status":101,"headers":[]},
        "startedDateTime":"2024-12-01T10:00:00.500Z"},
        {"request":{"method":"GET","url":"data:image/png;base64,iVA=","headers":[]},"response":{"status":200},
        "startedDateTime":"2024-12-01T10:00:00.600Z"}]}}
        """#

    /// The export of Firefox 133, whose entries are not in the order of their times.
    static let firefox = #"""
        {"log":{"version":"1.2","creator":{"name":"Firefox","version":"133.0"},"browser":{"name":"Firefox",
        "version":"133.0"},"entries":[
        {"startedDateTime":"2024-12-01T11:00:01.000+01:00","request":{"bodySize":0,"method":"GET",
        "url":"https://shop.example/page#top","httpVersion":"HTTP/1.1","headers":[],"cookies":[],"queryString":[]},
        "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","headers":[{"name":"Content-Type",
        "value":"text/html; charset=ISO-8859-1"}],"cookies":[],"content":{"mimeType":"text/html; charset=ISO-8859-1",
        "size":1,"text":"é"},"redirectURL":""},"cache":{},"timings":{"blocked":0,"dns":0,"wait":3,"receive":0},
        "time":3},
        {"startedDateTime":"2024-12-01T11:00:00.000+01:00","request":{"bodySize":21,"method":"POST",
        "url":"https://shop.example/login","httpVersion":"HTTP/2","headers":[],"cookies":[],"queryString":[],"postData":
        {"mimeType":"application/x-www-form-urlencoded","params":[{"name":"user","value":"ada l"},{"name":"x","value":
        "&é"}]}},"response":{"status":302,"statusText":"Found","httpVersion":"HTTP/2","headers":[{"name":"location",
        "value":"/page"}],"cookies":[],"content":{"mimeType":"text/plain","size":0,"text":""},"redirectURL":"/page"},
        "cache":{},"timings":{},"time":3}]}}
        """#

    /// As mitmproxy's `hardump` and others write it.
    static let python = #"""
        {"log":{"version":"1.2","creator":{"name":"mitmproxy","version":"10","comment":""},"pages":[],"entries":[
        {"startedDateTime":"2024-12-01T10:00:00.100002+00:00","time":1,"request":{"method":"GET","url":"http://h/2",
        "httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],"headersSize":1,"bodySize":0},"response":
        {"status":200,"statusText":null,"httpVersion":"HTTP/1.1","cookies":[],"headers":null,"content":{"size":0,
        "compression":0,"mimeType":"","text":""},"redirectURL":"","headersSize":1,"bodySize":0},"cache":{},"timings":
        {"connect":-1.0,"ssl":-1.0,"send":1,"receive":1,"wait":1}},
        {"startedDateTime":"2024-12-01T12:00:00.100001+02:00","time":1,"request":{"method":"GET","url":"http://h/1",
        "httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],"headersSize":1,"bodySize":0},"response":
        {"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":1,
        "mimeType":"text/plain","text":"a"},"redirectURL":"","headersSize":1,"bodySize":1},"cache":{},"timings":{}}]}}
        """#
}

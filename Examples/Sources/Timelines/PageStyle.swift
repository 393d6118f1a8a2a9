/// The page's style, for light and dark screens and for paper.
enum PageStyle {
    static var css: String {
        """
        :root { \(light) }
        @media (prefers-color-scheme: dark) { :root { \(dark) } }
        \(layout)
        \(phases)
        @media (max-width: 700px) { \(narrow) }
        @media print { .line i, .legend i { print-color-adjust: exact; } }
        """
    }

    private static let light = """
        --text: #1c2024; --dim: #5b6470; --back: #ffffff; --stripe: #f4f6f8; --rule: #d5dae0;
          --delay: #d1495b; --queue: #a3acb7; --dns: #12908e; --connect: #d98a00; --tls: #a04fc2; --send: #5ba6ef;
          --wait: #3fa34d; --receive: #1f5fbf; --good: #1b7a34; --moved: #0b6e83; --client: #9a5b00; --server: #b3261e;
        """

    private static let dark = """
        --text: #e6e9ed; --dim: #9aa4b0; --back: #14181c; --stripe: #1b2026; --rule: #333b45;
          --delay: #f0707f; --queue: #69737f; --dns: #35c2bf; --connect: #f2b134; --tls: #c583e0; --send: #9cccff;
          --wait: #5fca70; --receive: #4a8df0; --good: #6fd58a; --moved: #5cc9de; --client: #f2b760; --server: #ff8f87;
        """

    private static let layout = """
        * { box-sizing: border-box; }
        body { margin: 1.5rem; background: var(--back); color: var(--text); font: 14px/1.4 system-ui, sans-serif; }
        h1 { font-size: 1.3rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
        p { margin: .4rem 0; }
        .legend { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; margin: .8rem 0; padding: 0; }
        .legend i { display: inline-block; width: .9em; height: .9em; margin-right: .4em; border-radius: 2px;
          vertical-align: -.1em; }
        .legend b { font-weight: 600; font-variant-numeric: tabular-nums; }
        table { width: 100%; border-collapse: collapse; table-layout: fixed; }
        caption { caption-side: bottom; text-align: left; color: var(--dim); padding: .6rem 0; }
        caption, details p, details ol { overflow-wrap: anywhere; }
        th, td { padding: .2rem .5rem; text-align: left; vertical-align: top; font-weight: 400; }
        thead th { color: var(--dim); border-bottom: 1px solid var(--rule); font-size: .85em; }
        tbody tr:nth-child(even) { background: var(--stripe); }
        th:nth-child(1) { width: 26%; }
        th:nth-child(2) { width: 9.5rem; }
        th:nth-child(3), th:nth-child(4) { width: 5.6rem; text-align: right; }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .status span { font-weight: 600; }
        .s1, .s2 { color: var(--good); } .s3 { color: var(--moved); } .s4 { color: var(--client); }
        .s5, .failed summary, details .error { color: var(--server); }
        summary { cursor: pointer; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        summary small, details ol, details p { color: var(--dim); }
        details[open] summary { white-space: normal; overflow-wrap: anywhere; }
        details div { width: min(56rem, calc(100vw - 5rem)); font-size: .9em; padding: .2rem 0 .5rem; }
        details ol { margin: .2rem 0; padding-left: 2.2rem; }
        .axis, .bar { padding-right: 3.5rem; }
        .ticks { position: relative; height: 1.3em; }
        .ticks span { position: absolute; white-space: nowrap; border-left: 1px solid var(--rule); padding-left: .3em; }
        .line { position: relative; height: 1.05em; margin-top: .15em; }
        .line::before { content: ""; position: absolute; inset: -.35rem 0;
          background: repeating-linear-gradient(to right, var(--rule) 0 1px, transparent 1px var(--step)); }
        .line i { position: absolute; top: 0; bottom: 0; min-width: 1px; }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        """

    /// Beside the bars there is room for names and times only.
    private static let narrow = """
        body { margin: .7rem; } th:nth-child(1) { width: 34%; }
          th:nth-child(2), td:nth-child(2), th:nth-child(3), td:nth-child(3), summary small { display: none; }
          .ticks span:nth-child(even) { display: none; } .axis, .bar { padding-right: 1.5rem; }
        """

    private static var phases: String {
        Phase.allCases.map { "i.\($0.rawValue) { background: var(--\($0.rawValue)); }" }.joined(separator: " ")
    }
}

package draw

// The measures of a picture, in pixels.
const (
	svgTime    = 92 // of the times
	svgDetails = 640
	svgHead    = 62 // of the lanes' heads
	svgTop     = 56 // of the title
	svgRow     = 34
	svgQuiet   = 26
	svgLine    = 18 // of a line of a finding
	svgBottom  = 64
	svgLetter  = 6.7 // of the labels' font, which is of one width
	svgField   = 7.3 // of the fields' font
)

// svgStyle has a light and a dark picture. Kinds of messages are told apart by their names as well as by colour,
// folds by thicker lines, UDP by dashes.
const svgStyle = `.dp{color-scheme:light dark}.dp .bg{fill:#fff}.dp text{fill:#1b1f24;font:13px system-ui,sans-serif}.dp .title{font-size:16px;font-weight:600}
.dp .sub,.dp .time{fill:#505861;font-size:12px}.dp .time{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.dp .cmd{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-weight:600;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}
.dp .det{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#424a53}
.dp .head{fill:#f6f8fa;stroke:#d0d7de}.dp .host{fill:#fff1e5;stroke:#e8590c}.dp .rail{stroke:#d0d7de}.dp .who{font-weight:600}
.dp .quiet{stroke:#fff;stroke-width:3;fill:none}.dp .dots{stroke:#8c959f;stroke-width:1.5;stroke-dasharray:2 5;fill:none}
.dp .a{stroke-width:1.6;fill:none}.dp .fold .a{stroke-width:4}.dp .udp .a{stroke-dasharray:6 4}
.dp .system .a{stroke:#1864ab}.dp .system .h,.dp .system .cmd{fill:#1864ab}.dp .game .a{stroke:#1f6f31}.dp .game .h,.dp .game .cmd{fill:#1f6f31}
.dp .ping .a,.dp .answer .a{stroke:#5b646e}.dp .ping .h,.dp .ping .cmd,.dp .answer .h,.dp .answer .cmd{fill:#5b646e}.dp .failed .a{stroke:#b42318}.dp .failed .h,.dp .failed .cmd{fill:#b42318}
.dp .again .a{stroke:#a83808}.dp .again .h,.dp .again .cmd{fill:#a83808}.dp .missed .a{stroke:#a61e4d}.dp .missed .h,.dp .missed .cmd{fill:#a61e4d}
.dp .a.cross{stroke-dasharray:none;stroke-width:2.4;stroke:#b42318}
.dp .band{fill:#eaeef2;stroke:#8c959f}.dp .hit{fill:none;pointer-events:all}.dp .failure{fill:#ffe3e3}.dp .warning{fill:#fff3bf}.dp .note{fill:#e7f5ff}.dp .go .failure,.dp .go .warning,.dp .go .note{fill-opacity:.7}
.dp .go:hover .hit{fill:#8c959f;fill-opacity:.16}
@media (prefers-color-scheme:dark){.dp .bg{fill:#0d1117}.dp text{fill:#e6edf3}.dp .sub,.dp .time{fill:#a3abb5}.dp .cmd{stroke:#0d1117}.dp .det{fill:#b7bdc8}
.dp .head{fill:#161b22;stroke:#3d444d}.dp .host{fill:#3b2312;stroke:#ff922b}.dp .rail{stroke:#3d444d}.dp .quiet{stroke:#0d1117}.dp .dots{stroke:#768390}
.dp .system .a{stroke:#74c0fc}.dp .system .h,.dp .system .cmd{fill:#74c0fc}.dp .game .a{stroke:#69db7c}.dp .game .h,.dp .game .cmd{fill:#69db7c}
.dp .ping .a,.dp .answer .a{stroke:#a3abb5}.dp .ping .h,.dp .ping .cmd,.dp .answer .h,.dp .answer .cmd{fill:#a3abb5}.dp .failed .a{stroke:#ff8787}.dp .failed .h,.dp .failed .cmd{fill:#ff8787}
.dp .again .a{stroke:#ff922b}.dp .again .h,.dp .again .cmd{fill:#ff922b}.dp .missed .a{stroke:#f783ac}.dp .missed .h,.dp .missed .cmd{fill:#f783ac}
.dp .a.cross{stroke:#ff8787}
.dp .band{fill:#21262d;stroke:#768390}.dp .failure{fill:#451a1a}.dp .warning{fill:#3a300c}.dp .note{fill:#102a43}}
`

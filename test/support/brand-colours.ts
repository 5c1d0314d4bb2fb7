/** Brand colours of sign-in providers, and the colours in which a page is hardest to read. */
export const BRAND_COLOURS: readonly string[] = `
#000000 #003087 #0052cc #0052ff #0058cc #005ff9 #0061fe #0062ff #006aff #0072c6 #0075bb #0075c9 #0075dd #0077b5
#0077ff #0078d4 #0082c9 #00a1e0 #00b1ea #00c300 #011e69 #02a9ff #03c75a #07c160 #0b0d0e #0b5cff #0f0f0f #0f172a
#148eff #181a1b #1a73e8 #1c1c23 #1db954 #205081 #21759b #236cff #24292f #25c2a0 #2e51a2 #2e75ba #313131 #32e6e2
#335fff #343434 #36465d #39134c #3d53f6 #428bca #5077c5 #53fc19 #5865f2 #5d34f2 #5e6ad2 #6001d2 #609926 #611f69
#6363f1 #6364ff #65459b #7b68ee #b5b5b6 #bd081c #c17b9e #e3156a #e42527 #e4405f #e44332 #e85b46 #ea4c89 #eb5424
#ed2224 #f05537 #f05c18 #f16521 #f38020 #f57507 #f58320 #fc4c02 #fc6d26 #fd4b2d #fee500 #ff4500 #ff5500 #ff66aa
#ff7237 #ff7300 #ff7a59 #ff90e8 #ffcc00 #ffd21e #ffe01b #ffe600
#ffffff #808080 #767676 #ff0000 #00ff00 #0000ff #ffff00`
  .trim()
  .split(/\s+/)

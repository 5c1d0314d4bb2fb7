import { expect } from 'chai'
import {
  BLACK,
  contrastRatio,
  isGrey,
  parseColour,
  readableOn,
  toHex,
  WHITE,
  withContrast,
} from '../../lib/pages/colour.js'
import { BRAND_COLOURS } from '../support/brand-colours.js'

describe('parseColour', () => {
  const accepted: Record<string, string> = {
    '#fff': '#ffffff',
    '#1a2B3c': '#1a2b3c',
    '#1234': '#112233',
    '#11223380': '#112233',
    ' RebeccaPurple ': '#663399',
    gold: '#ffd700',
    'rgb(1, 2, 3)': '#010203',
    'rgb(255 0 128)': '#ff0080',
    'rgba(10, 20, 30, 0.5)': '#0a141e',
    'rgb(10 20 30 / 50%)': '#0a141e',
    'rgb(100%, 0%, 50%)': '#ff0080',
    'hsl(120, 100%, 25%)': '#008000',
    'hsl(210deg 50% 40%)': '#336699',
    'hsla(0, 100%, 50%, .3)': '#ff0000',
    'hsl(360, 100%, 50%)': '#ff0000',
  }
  for (const [text, hex] of Object.entries(accepted)) {
    it(`reads ${text}`, () => {
      const colour = parseColour(text)
      expect(colour && toHex(colour)).to.equal(hex)
    })
  }

  const refused: unknown[] = [
    '',
    '#',
    '#12',
    '#12345',
    '#1234567',
    '#gggggg',
    'red;}body{display:none',
    '#fff}</style><script>alert(1)</script>',
    'rgb(256, 0, 0)',
    'rgb(1, 2)',
    'rgb(1%, 2, 3)',
    'hsl(1, 200%, 3%)',
    'url(https://evil.example/)',
    'var(--x)',
    'expression(alert(1))',
    'currentcolor',
    'constructor',
    '__proto__',
    `rgb(${' '.repeat(60)}1,2,3)`,
    `#fff${'\n'.repeat(100_000)}`,
    null,
    undefined,
    7,
    {},
    ['#fff'],
  ]
  for (const value of refused) {
    it(`refuses ${JSON.stringify(value)?.slice(0, 60)}`, () => expect(parseColour(value)).to.equal(null))
  }
})

describe('contrastRatio', () => {
  it('is 21 for black on white, either way round', () => {
    expect(contrastRatio(BLACK, WHITE)).to.be.closeTo(21, 1e-9)
    expect(contrastRatio(WHITE, BLACK)).to.be.closeTo(21, 1e-9)
  })
  it('is 1 for a colour on itself', () => expect(contrastRatio([12, 99, 200], [12, 99, 200])).to.equal(1))
  it('agrees with the published example: #777 on white is just under AA', () => {
    expect(contrastRatio([0x77, 0x77, 0x77], WHITE)).to.be.closeTo(4.48, 0.01)
  })
})

describe('readableOn', () => {
  for (const hex of BRAND_COLOURS) {
    it(`gives text of 4.5:1 on ${hex}`, () => {
      const colour = parseColour(hex) ?? WHITE
      expect(contrastRatio(readableOn(colour), colour)).to.be.at.least(4.5)
    })
  }
})

describe('withContrast', () => {
  it('leaves a colour alone that has the contrast', () =>
    expect(withContrast([0, 0, 139], WHITE, 4.5)).to.deep.equal([0, 0, 139]))
  it('darkens on white and lightens on black', () => {
    expect(contrastRatio(withContrast([255, 215, 0], WHITE, 4.5), WHITE)).to.be.at.least(4.5)
    expect(contrastRatio(withContrast([10, 10, 60], BLACK, 4.5), BLACK)).to.be.at.least(4.5)
  })
})

describe('isGrey', () => {
  it('knows greys and near-greys from colours', () => {
    expect(isGrey([0, 0, 0])).to.equal(true)
    expect(isGrey([0x24, 0x29, 0x2f])).to.equal(true)
    expect(isGrey([0x0f, 0x17, 0x2a])).to.equal(false)
  })
})

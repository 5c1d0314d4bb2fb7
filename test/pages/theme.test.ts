import { expect } from 'chai'
import { type Colour, contrastRatio, parseColour } from '../../lib/pages/colour.js'
import { parseImageSource, providerMark } from '../../lib/pages/provider-mark.js'
import { type Palette, resolveTheme, type Theme } from '../../lib/pages/theme.js'
import { BRAND_COLOURS } from '../support/brand-colours.js'

const colour = (hex: string): Colour => parseColour(hex) ?? expect.fail(`${hex} is no colour`)
const contrast = (left: string, right: string) => contrastRatio(colour(left), colour(right))

function expectReadable(palette: Palette): void {
  expect(contrast(palette.onAccent, palette.accent), 'text on the button').to.be.at.least(4.5)
  expect(contrast(palette.onAccent, palette.accentHover), 'text on the button, hovered').to.be.at.least(4.5)
  expect(contrast(palette.ink, palette.soft), 'link on its hover background').to.be.at.least(4.5)
  expect(contrast(palette.ink, palette.surface), 'link on the card').to.be.at.least(4.5)
  expect(contrast(palette.edge, palette.surface), 'focus ring and edge of the button').to.be.at.least(3)
}

describe('resolveTheme', () => {
  for (const brandColor of BRAND_COLOURS) {
    it(`makes pages in ${brandColor} readable, light and dark`, () => {
      const { light, dark } = resolveTheme({ brandColor })
      expectReadable(light)
      expectReadable(dark)
    })
  }

  for (const buttonText of BRAND_COLOURS.filter((_, index) => index % 6 === 0)) {
    it(`stays readable with ${buttonText} as the button's text`, () => {
      for (const brandColor of BRAND_COLOURS) {
        const { light, dark } = resolveTheme({ brandColor, buttonText })
        expectReadable(light)
        expectReadable(dark)
      }
    })
  }

  it('takes the brand colour as it is where white can be read on it', () => {
    expect(resolveTheme({ brandColor: '#611f69' }).light).to.include({ accent: '#611f69', onAccent: '#ffffff' })
  })

  it('takes the text colour that was given where it can be read', () => {
    expect(resolveTheme({ brandColor: '#39134c', buttonText: '#ffe01b' }).light.onAccent).to.equal('#ffe01b')
  })

  it('turns a black brand colour over in the dark', () => {
    const { light, dark } = resolveTheme({ brandColor: '#000' })
    expect(light).to.include({ accent: '#000000', onAccent: '#ffffff' })
    expect(dark.onAccent).to.equal('#000000')
  })

  it('leaves out what it does not understand', () => {
    const odd = {
      brandColor: 'url(//evil.example)',
      buttonText: '{}',
      colorScheme: 'neon',
      logo: 'javascript:alert(1)',
    }
    expect(resolveTheme(odd as unknown as Theme)).to.deep.equal(resolveTheme({}))
  })

  it('keeps a forced colour scheme', () => {
    expect(resolveTheme({ colorScheme: 'dark' }).colorScheme).to.equal('dark')
    expect(resolveTheme({ colorScheme: 'light' }).colorScheme).to.equal('light')
    expect(resolveTheme({}).colorScheme).to.equal('auto')
  })
})

describe('parseImageSource', () => {
  it('names the origin of an image elsewhere, for the content policy', () => {
    expect(parseImageSource('https://cdn.example/a.svg')).to.deep.equal({
      src: 'https://cdn.example/a.svg',
      origin: 'https://cdn.example',
    })
    expect(parseImageSource('http://[::1]:8080/a.svg')?.origin).to.equal('http://[::1]:8080')
  })
  for (const path of [
    '/logo.svg',
    'logo.png',
    './img/logo.png?v=2',
    'data:image/svg+xml,%3Csvg/%3E',
    'data:image/png;base64,AA==',
  ]) {
    it(`takes ${path} as one of this origin`, () =>
      expect(parseImageSource(path)).to.deep.equal({ src: path, origin: null }))
  }
  const refused: unknown[] = [
    '//evil.example/a.svg',
    '/\\evil.example/a.svg',
    '\\\\evil.example',
    '/\t/evil.example/a.svg',
    ' //evil.example',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'https://evil.example;script-src/a.svg',
    'https://a,b.example/a.svg',
    'https://',
    '',
    null,
    7,
  ]
  for (const value of refused) {
    it(`refuses ${JSON.stringify(value)}`, () => expect(parseImageSource(value)).to.equal(null))
  }
})

describe('providerMark', () => {
  it('shows an image of this origin', () => {
    expect(providerMark('Acme', { logo: '/acme.svg' })).to.deep.equal({ kind: 'image', src: '/acme.svg' })
  })
  it('never asks another host for one', () => {
    const mark = providerMark('Acme', { logo: 'https://authjs.dev/img/acme.svg', brandColor: '#c00' })
    expect(mark).to.deep.equal({ kind: 'letter', letter: 'A', fill: '#cc0000', ink: '#ffffff' })
  })
  it('falls back to the older "bg", and to the stylesheet without any colour', () => {
    expect(providerMark('acme', { bg: '#fff' })).to.include({ fill: '#ffffff', ink: '#000000' })
    expect(providerMark('acme')).to.include({ letter: 'A', fill: null, ink: null })
  })
  it('takes the first letter or digit of any script', () => {
    expect(providerMark('(42) School')).to.include({ letter: '4' })
    expect(providerMark('بوابة')).to.include({ letter: 'ب' })
    expect(providerMark('𝒜bc')).to.include({ letter: '𝒜' })
    expect(providerMark('!!!')).to.include({ letter: '•' })
  })
  for (const brandColor of BRAND_COLOURS) {
    it(`can be distinguished on ${brandColor}`, () => {
      const mark = providerMark('x', { brandColor })
      if (mark.kind !== 'letter' || !mark.ink || !mark.fill) return expect.fail('no letter')
      expect(contrast(mark.ink, mark.fill)).to.be.at.least(3)
    })
  }
})

import { expect } from 'chai'
import { chooseLanguage, createLanguageChoice, directionOf } from '../../../lib/pages/texts/text.js'

const OFFERED = ['en', 'de', 'pt', 'zh-Hans', 'ar']

describe('the language of a page', () => {
  for (const [header, language] of [
    ['', 'en'],
    ['de', 'de'],
    ['DE-at, en;q=0.5', 'de'],
    ['en;q=0.5, de;q=0.9', 'de'],
    ['fr, ar;q=0.1', 'ar'],
    ['pt-BR,pt;q=0.9', 'pt'],
    ['zh-CN', 'zh-Hans'],
    ['zh', 'zh-Hans'],
    ['zh-TW', 'en'],
    ['zh-TW, de;q=0.3', 'de'],
    ['*', 'en'],
    ['*;q=0.1, de', 'de'],
    ['de;q=0', 'en'],
    ['de;q=0, *', 'en'],
    ['de;q=7', 'en'],
    ['de;q=abc', 'en'],
    ['<script>', 'en'],
    ['__proto__, constructor', 'en'],
    [`${'x,'.repeat(50)}de`, 'en'],
  ] as const) {
    it(`is ${language} for "${header.slice(0, 30)}"`, () => expect(chooseLanguage(header, OFFERED)).to.equal(language))
  }

  it('is the first that the application offers for somebody who understands none', () => {
    expect(chooseLanguage('ja', ['de', 'en'])).to.equal('de')
    expect(chooseLanguage('en', ['de'])).to.equal('de')
  })

  it('prefers an exact tag to one with the same language', () => {
    expect(chooseLanguage('de-CH', ['en', 'de', 'de-CH'])).to.equal('de-CH')
  })

  it('may be one for which only the application has texts', () => {
    const languageOf = createLanguageChoice({ texts: { sv: {} } })
    expect(languageOf('sv-FI')).to.equal('sv')
    expect(languageOf('xx')).to.equal('en')
  })

  it('is written from right to left in Arabic, Hebrew and Persian', () => {
    for (const tag of ['ar', 'he', 'fa', 'ur']) expect(directionOf(tag), tag).to.equal('rtl')
    for (const tag of ['en', 'ja', 'zh-Hans', 'nonsense-']) expect(directionOf(tag), tag).to.equal('ltr')
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { signInMail } from '../../../lib/features/email/send-link.js'
import { createMailWriter } from '../../../lib/pages/mail.js'
import {
  BUILT_IN_LANGUAGES,
  ENGLISH,
  loadLanguage,
  placeholdersOf,
  type TextKey,
  type Texts,
} from '../../../lib/pages/texts/text.js'
import { expectWholeMail } from '../../support/mailbox.js'

const KEYS = Object.keys(ENGLISH) as TextKey[]

/** Texts with words that are the same in English and in another language. */
const SAME: Readonly<Record<string, readonly TextKey[]>> = {
  de: ['account.name', 'account.passkeys', 'field.code', 'securityEvents.passkey'],
  fr: ['field.code'],
  es: ['error.status'],
  pt: ['field.email'],
  it: ['field.email', 'field.password', 'links.privacy', 'securityEvents.passkey'],
  nl: ['account.passkeys', 'field.email', 'field.code', 'securityEvents.passkey'],
  pl: ['field.email'],
}

/** Placeholders that a language leaves out, because the sentence reads better without them. */
const LEFT_OUT: Readonly<Record<string, readonly TextKey[]>> = {}

const ROOT = new URL('../../../', import.meta.url)

/** The names in quotes in the files of a folder. */
function namesIn(folder: string, ending: string): string[] {
  const at = new URL(folder, ROOT)
  const files = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(ending))
  return files.flatMap((file) => readFileSync(new URL(file, at), 'utf8').match(/(?<=')[\w.]+(?=')/g) ?? [])
}

const textsOf = async (tag: string): Promise<Texts> => (await loadLanguage(tag)) as Texts

describe('the languages of the pages', () => {
  it('are eleven', () => {
    expect(BUILT_IN_LANGUAGES).to.deep.equal(['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh-Hans', 'ar'])
  })

  it('have no text that no page and no mail shows', () => {
    const names = new Set([...namesIn('lib/', '.ts'), ...namesIn('views/', '.eta')])
    // Some are named together with others: 'error.verification' has a title and a text, and 'links.' is put before a name.
    const formsOf = (key: TextKey) => [key, key.replace(/\.(?:title|text)$/, ''), key.replace(/\w+$/, '')]
    expect(KEYS.filter((key) => !formsOf(key).some((form) => names.has(form)))).to.deep.equal([])
  })

  it('have the texts of one page or mail together', () => {
    const groups = KEYS.map((key) => key.replace(/\..*/, ''))
    expect(groups.filter((group, at) => group !== groups[at - 1])).to.deep.equal([...new Set(groups)])
  })

  for (const tag of BUILT_IN_LANGUAGES.filter((tag) => tag !== 'en')) {
    describe(tag, () => {
      it('has every text, in its own words', async () => {
        const texts = await textsOf(tag)
        expect(Object.keys(texts), 'in the order of the English ones').to.deep.equal(KEYS)
        const same = KEYS.filter((key) => texts[key] === ENGLISH[key] && /(?<![{\w])\p{L}/u.test(texts[key]))
        expect([...same].sort()).to.deep.equal([...(SAME[tag] ?? [])].sort())
      })

      it('has the placeholders of the English texts', async () => {
        const texts = await textsOf(tag)
        for (const key of KEYS.filter((key) => !LEFT_OUT[tag]?.includes(key))) {
          expect([...new Set(placeholdersOf(texts[key]))].sort(), key).to.deep.equal(
            [...new Set(placeholdersOf(ENGLISH[key]))].sort(),
          )
        }
      })

      it('has no straight quotes, no blanks at the ends and no two in a row', async () => {
        const texts = await textsOf(tag)
        for (const key of KEYS)
          expect(texts[key], key)
            .to.match(/^\S(?:[^'"]*\S)?$/)
            .and.not.match(/ {2}/)
      })

      it('has no word in a heading that a small phone would break', async () => {
        const texts = await textsOf(tag)
        const headings = KEYS.filter((key) => /\.(?:title\w*|added|replaced)$/.test(key)).map((key) => texts[key])
        expect(headings.flatMap((text) => text.match(/[\p{Script=Latin}’]{19,}/gu) ?? [])).to.deep.equal([])
      })

      it('has mails in short lines, and a lifetime in its own words', async () => {
        const input = {
          host: 'app.example',
          acceptLanguage: tag,
          url: 'https://app.example/x',
          lifetimeSeconds: 86_400,
        }
        const mail = await signInMail(createMailWriter({ theme: { name: 'Acme' } }), input)
        expectWholeMail(mail, tag)
        expect(mail.text).to.match(/24|٢٤/).and.not.include('hours')
      })
    })
  }
})

describe('a line of a mail', () => {
  it('is broken between words, and never before a full stop, in a language without spaces', async () => {
    const { text } = await signInMail(createMailWriter({ theme: {} }), {
      host: 'app.example',
      acceptLanguage: 'ja',
      url: 'https://app.example/x',
      lifetimeSeconds: 86_400,
    })
    const lines = text.split('\n')
    expect(lines.length).to.be.greaterThan(9)
    for (const line of lines) expect(line).to.not.match(/^[。、]/)
  })
})

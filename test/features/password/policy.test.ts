import { randomInt } from 'node:crypto'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { setPassword } from '../../../lib/index.js'
import Nodemailer from '../../../lib/providers/mail/nodemailer.js'
import Password from '../../../lib/providers/password.js'
import { testConfig } from '../../support/app.js'

/** Says of a password why Ada may not have it; null if she may. */
async function askFor(minLength = 15) {
  const adapter = memoryAdapter()
  await adapter.createUser({ id: 'ada', name: 'Lovelace', email: 'ada@example.com', emailVerified: new Date() })
  const mail = Nodemailer({ server: 'smtp://localhost:1', from: 'no-reply@example.com' })
  const config = testConfig({ adapter, providers: [Password({ minLength, words: ['Acme'] }), mail] })
  return (password: string): Promise<string | null> =>
    setPassword(config, { userId: 'ada', password }).then(
      () => null,
      (error: { reason?: string }) => error.reason ?? expect.fail(String(error)),
    )
}

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_each, index) => String.fromCodePoint(first + index))

const PRINTABLE = from(0x21, 0x7e)
const KINDS = {
  'printable characters': PRINTABLE,
  'signs alone': PRINTABLE.filter((each) => !/[a-z\d]/i.test(each)),
  digits: from(0x30, 0x39),
  'small letters': from(0x61, 0x7a),
  emoji: from(0x1f600, 0x1f64f),
  Greek: from(0x3b1, 0x3c9),
  // The nukta makes one character with the letter before it, so the password would be shorter.
  Devanagari: from(0x904, 0x94f).filter((each) => each !== '\u093c'),
  Thai: from(0xe01, 0xe3a),
  Chinese: from(0x4e00, 0x9fa5),
  Hangul: from(0xac00, 0xd7a3),
}

describe('PWD-03: a new password', () => {
  for (const [kind, characters] of Object.entries(KINDS)) {
    it(`is taken whatever it is made of, and refused only for a word that is in it: ${kind}`, async () => {
      const why = await askFor()
      for (let count = 0; count < 300; count += 1) {
        const length = 15 + (count % 10)
        const password = Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
        const isNamed = /ada|acme|lovelace/.test(password.toLowerCase().replace(/[^a-z]/g, ''))
        if (!isNamed) expect(await why(password), password).to.equal(null)
      }
    })
  }

  it('is taken with few letters, with digits around few letters, and with a word of the person and as much again', async () => {
    const why = await askFor()
    for (const password of [
      'k#9!vT$2@x%^&*()-=',
      '~#!@a$%^&*(a)-=_+',
      '731902845561029384',
      `'z;R#r|Z!bbbb(@`,
      '731902845561029384a',
      '7🦊🎸🌵🚲🍋🐙🎲🌋🧭🪁🦉🍇🛶🎻',
      '🦊🎸🌵🚲🍋🐙🎲🌋🧭🪁🦉🍇🛶🎻🪐',
      'ada has nine quiet windows',
      'acme-731902845561',
      'lantern lantern',
    ])
      expect(await why(password), password).to.equal(null)
  })

  it('PWD-04: is refused if little more than a word of the person or the application is in it', async () => {
    const why = await askFor()
    for (const password of [
      'ada@example.com',
      'Ada@Example.com 1815',
      'a-d-a-a-d-a-a-d-a',
      'Love lace Love lace',
      'lovelace1234567',
      'L.o.v.e.l.a.c.e.!',
      'acme!acme!acme!acme!',
      'ＡＣＭＥ 123 !!!!!!!!!',
      'ada!!!!!!!!!!!!!!!!',
    ])
      expect(await why(password), password).to.equal('personal')
  })

  it('PWD-04: is refused if it is one text again and again, or a common one', async () => {
    const why = await askFor()
    for (const password of [
      'aaaaaaaaaaaaaaa',
      'ababababababababab',
      'abcabcabcabcabcab',
      '!!!!!!!!!!!!!!!!',
      '!@#$!@#$!@#$!@#$',
      '!!!!!!!!!!!!!!!ab',
      'a!a#a$a%a^a&a*a(',
      '111111111111111',
      '111111111111112',
      '000000000000000000007',
      '123123123123123123',
      '123456789012345',
      '1234567812345678',
      '🦊'.repeat(15),
      '🦊🎸'.repeat(8),
      '👨‍👩‍👧‍👦'.repeat(3),
      '密码'.repeat(8),
      'passwordpassword',
      'P.assword!P.assword!',
      'p-a-s-s-w-o-r-d-1',
      'password!@#$%^&*()',
      '1234567password',
      'Password 20261130',
      'qwerty123456!!!!!!',
    ])
      expect(await why(password), password).to.equal('common')
  })

  it('PWD-01: the same, where eight characters are enough', async () => {
    const why = await askFor(8)
    for (const password of ['password', '12345678', 'aaaaaaaa', 'abababab', '!!!!!!!!', '!a!a!a!a', 'sunshine'])
      expect(await why(password), password).to.equal('common')
    for (const password of ['73190284', '#9!vT$2@', '🦊🎸🌵🚲🍋🐙🎲🌋', 'qfxzvmtk', 's@SCvV)s', '44494774'])
      expect(await why(password), password).to.equal(null)
    expect(await why('lovelace')).to.equal('personal')
  })

  it('PWD-02: is judged soon, however long it is', async () => {
    const why = await askFor()
    const zimin = from(0x61, 0x69).reduce((text, each) => text + each + text, '')
    const long = [
      zimin,
      `${'a'.repeat(511)}b${'a'.repeat(511)}c`,
      'abacabad'.repeat(128),
      '1'.repeat(1024),
      zimin.replaceAll('a', ''),
    ]
    const start = performance.now()
    for (const password of long) await why(password)
    expect(performance.now() - start).to.be.lessThan(1000)
  })

  it('PWD-03: is refused if it is a short word, and one sign again and again', async () => {
    const why = await askFor()
    for (const word of ['qwerty', '123456', 'secret', 'dragon', 'hello1', 'summer', '250919', 'abc123'])
      for (const sign of ['!', '.', '🙂']) expect(await why(word + sign.repeat(10)), word + sign).to.equal('common')
  })
})

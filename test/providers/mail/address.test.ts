import { expect } from 'chai'
import fc from 'fast-check'
import { parseAddress, parseSender, recipient, senderOf } from '../../../lib/providers/mail/address.js'

const LAST_CODE_POINT = 0x10ffff

function* codePoints(): Generator<string> {
  for (let code = 0; code <= LAST_CODE_POINT; code++) yield String.fromCodePoint(code)
}

/** Every character that is no plain letter: that folds, has two cases, or is something else. Of the others, one in a hundred. */
function* characters(): Generator<string> {
  for (const character of codePoints()) {
    const code = character.codePointAt(0) ?? 0
    const isPlain = /[\p{Cn}\p{Co}\p{Cs}\p{L}\p{N}]/u.test(character) && character.toLowerCase() === character
    if (code % 101 === 0 || !isPlain || character.normalize('NFKC') !== character) yield character
  }
}

/** What gives an address list, a quoted text, a comment, a group, a route or a literal its meaning; and everything unseen. */
const SYNTAX = /[",;:<>()[\]\\\s\p{C}\p{Z}]/u

describe('parseAddress', () => {
  for (const [typed, address] of [
    ['ada@example.com', 'ada@example.com'],
    ['  Ada@Example.COM\t', 'ada@example.com'],
    ['ada+tag@mail.example.co.uk', 'ada+tag@mail.example.co.uk'],
    ["o'brien@example.com", "o'brien@example.com"],
    ['a_b-c.d!#$%&*/=?^`{|}~@example.com', 'a_b-c.d!#$%&*/=?^`{|}~@example.com'],
    ['ada@localhost', 'ada@localhost'],
    ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['ada@BÜCHER.example', 'ada@bücher.example'],
    ['josé@example.com', 'josé@example.com'],
    ['jose\u0301@example.com', 'josé@example.com'],
    ['ａｄａ@example.com', 'ada@example.com'],
    ['用户@例子.广告', '用户@例子.广告'],
  ] as const) {
    it(`reads ${JSON.stringify(typed)}`, () => expect(parseAddress(typed)).to.equal(address))
  }

  // CVE-2022-35924, GHSA-5jpx-9hw9-2fx4, and the rest of what RFC 5322 lets stand in an address field
  for (const text of [
    '=?utf-8?q?eve=40evil.example=3e?=ada@example.com',
    '=?x?b?ZXZl?=@example.com',
    '',
    ' ',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'ada@@example.com',
    'ada@evil.example@example.com',
    'attacker@evil.example,ada@example.com',
    'ada@example.com,attacker@evil.example',
    'ada@example.com;attacker@evil.example',
    'ada@example.com attacker@evil.example',
    'ada,attacker@evil.example',
    '"ada"@example.com',
    '"attacker@evil.example"@example.com',
    '"attacker@evil.example ,"@example.com',
    "attacker@evil.example'@example.com",
    'ada\\@evil.example@example.com',
    'Ada <ada@example.com>',
    '<ada@example.com>',
    '<attacker@evil.example>ada@example.com',
    'ada@example.com(attacker@evil.example)',
    'ada(comment)@example.com',
    'friends:ada@example.com,attacker@evil.example;',
    '@evil.example:ada@example.com',
    'ada@[127.0.0.1]',
    'ada@[IPv6:::1]',
    'ada@127.0.0.1',
    'ada@example.0',
    'ada@example..com',
    'ada@.example.com',
    'ada@example.com.',
    'ada@exa_mple.com',
    'ada@example.com\r\nBcc: attacker@evil.example',
    'ada\n@example.com',
    'ada\0@example.com',
    'ada @example.com',
    'ada@example .com',
    'ada\u200b@example.com',
    'ada\u202e@example.com',
    'ada@exam\u00adple.com',
    'ada@example\u3002com',
    'ada@exam\ufe0fple.com',
    'mailto:ada@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'a.'.repeat(130)}com`,
    'ada@xn--a.example',
  ]) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () => expect(parseAddress(text)).to.equal(null))
  }

  // CVE-2026-73420: checked before it was folded, a wide @ or comma slipped a second recipient through
  it('refuses every character of Unicode that folds to address syntax, wherever it stands', () => {
    let found = 0
    for (const character of codePoints()) {
      if (!/[@,;:"<>()[\]\\\s]/.test(character.normalize('NFKC'))) continue
      found++
      for (const text of [
        `attacker@evil.example${character}ada@example.com`,
        `attacker${character}evil.example@example.com`,
        `ada@example.com${character}attacker@evil.example`,
        `ada@example${character}com`,
      ]) {
        expect(parseAddress(text), `U+${character.codePointAt(0)?.toString(16)} in ${text}`).to.equal(null)
      }
    }
    expect(found).to.be.greaterThan(60)
  })

  it('gives one address without any syntax in it, and the same again, for every character that is no plain letter', () => {
    for (const character of characters()) {
      for (const text of [`a${character}b@example.com`, `ada@ex${character}mple.com`]) {
        const address = parseAddress(text)
        if (address === null) continue
        const code = `U+${character.codePointAt(0)?.toString(16)}`
        if (SYNTAX.test(address) || address.split('@').length !== 2) expect.fail(`${code} gives ${address}`)
        if (parseAddress(address) !== address) expect.fail(`${code} gives ${address}, which gives another`)
        if (recipient(address).normalize('NFKC').split('@').length !== 2) expect.fail(`${code} is sent elsewhere`)
      }
    }
  })

  it('gives one address or nothing for any text', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('ada', 'example.com', '@', '.', ','),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const address = parseAddress(parts.join(''))
        return (
          address === null ||
          (!SYNTAX.test(address) && address.split('@').length === 2 && parseAddress(address) === address)
        )
      }),
      { numRuns: 200 },
    )
  })
})

describe('recipient', () => {
  it('writes the domain in ASCII', () => expect(recipient('ada@bücher.example')).to.equal('ada@xn--bcher-kva.example'))

  for (const identifier of ['+4912345', 'a@b,c@d', '"a@b"@c', 'ada＠evil.example', 'ada@example.com\nx']) {
    it(`refuses ${JSON.stringify(identifier)}, which an application may have made`, () =>
      expect(() => recipient(identifier)).to.throw(TypeError, 'not one plain'))
  }
})

describe('parseSender', () => {
  for (const [from, name, address] of [
    ['no-reply@example.com', '', 'no-reply@example.com'],
    ['Example <no-reply@example.com>', 'Example', 'no-reply@example.com'],
    ['"Example, Inc." <no-reply@example.com>', 'Example, Inc.', 'no-reply@example.com'],
    ['<no-reply@example.com>', '', 'no-reply@example.com'],
    ['Auth.js <no-reply@authjs.dev>', 'Auth.js', 'no-reply@authjs.dev'],
  ] as const) {
    it(`reads ${from}`, () => expect(parseSender(from)).to.deep.equal({ name, address, text: from }))
  }

  for (const from of ['', 'Example', 'a@b, c@d', 'Example <a@b', 'Ex\nBcc: <a@b.example>', 'A <a@b> <c@d>']) {
    it(`refuses ${JSON.stringify(from)}`, () => expect(parseSender(from)).to.equal(null))
  }
})

describe('senderOf', () => {
  for (const [url, address] of [
    ['https://app.example/auth', 'no-reply@app.example'],
    ['http://localhost:3000/auth', 'no-reply@localhost'],
    ['http://127.0.0.1:3000/auth', 'no-reply@localhost'],
    ['http://[::1]:3000/auth', 'no-reply@localhost'],
  ] as const) {
    it(`is ${address} for ${url}, unless named`, () => {
      expect(senderOf(undefined, url).address).to.equal(address)
      expect(senderOf('', url).address).to.equal(address)
      expect(senderOf('me@example.com', url).address).to.equal('me@example.com')
    })
  }
})

import { expect } from 'chai'
import { hostPatternProblem, matchesHost } from '../../lib/kernel/host-patterns.js'

describe('a list of hosts', () => {
  const TABLE: readonly [pattern: string, allowed: readonly string[], refused: readonly string[]][] = [
    [
      'app.example',
      ['app.example', 'APP.Example', 'app.example:8443', 'app.example:443'],
      ['www.app.example', 'app.example.evil.example', 'evilapp.example', 'app.example.', 'app-example', 'appxexample'],
    ],
    [
      '*.app.example',
      ['pr-7.app.example', 'PR-7.APP.EXAMPLE', 'a.app.example:3000', 'xn--bro-hoa.app.example', 'a_b.app.example'],
      ['app.example', '.app.example', 'a.b.app.example', 'a.app.example.evil.example', 'aapp.example', 'a.appxexample'],
    ],
    [
      'pr-*.app.example',
      ['pr-7.app.example', 'pr-feature-x.app.example'],
      ['pr-.app.example', 'pr.app.example', 'pr-a.b.app.example', 'x-pr-7.app.example', 'PR7.app.example'],
    ],
    [
      '*-team.host.example',
      ['pr-7-team.host.example'],
      ['-team.host.example', 'pr-7-team2.host.example', 'team.host.example'],
    ],
    ['*.*.app.example', ['a.b.app.example'], ['a.app.example', 'a.b.c.app.example']],
    [
      'app.example:8443',
      ['app.example:8443', 'app.example:08443'],
      ['app.example', 'app.example:443', 'app.example:18443'],
    ],
    ['app.example:443', ['app.example', 'app.example:443'], ['app.example:8443', 'app.example:80']],
    ['*.app.example:8443', ['a.app.example:8443'], ['a.app.example', 'a.app.example:8444']],
    ['büro.example', ['büro.example', 'xn--bro-hoa.example', 'BÜRO.example'], ['buro.example']],
    ['xn--bro-hoa.example', ['büro.example'], ['buero.example']],
    ['*.büro.example', ['pr.xn--bro-hoa.example'], ['xn--bro-hoa.example']],
    ['localhost', ['localhost', 'localhost:3000', 'LOCALHOST'], ['a.localhost', 'localhost.evil.example']],
    ['*.localhost', ['a.localhost:3000'], ['localhost', 'a.b.localhost']],
    ['127.0.0.1', ['127.0.0.1', '127.0.0.1:3000'], ['127.0.0.10', '127.0.0.2']],
    ['[::1]:3000', ['[::1]:3000', '[0:0:0:0:0:0:0:1]:3000'], ['[::1]', '[::2]:3000']],
  ]

  for (const [pattern, allowed, refused] of TABLE) {
    it(`allows for ${pattern} what it names, and nothing beside it`, () => {
      expect(hostPatternProblem(pattern)).to.equal(null)
      for (const host of allowed) expect(matchesHost(host, [pattern]), host).to.equal(true)
      for (const host of refused) expect(matchesHost(host, [pattern]), host).to.equal(false)
    })
  }

  it('allows what any of its patterns allows, and nothing when it is empty', () => {
    const patterns = ['app.example', '*.preview.app.example']
    expect(matchesHost('app.example', patterns)).to.equal(true)
    expect(matchesHost('x.preview.app.example', patterns)).to.equal(true)
    expect(matchesHost('preview.app.example', patterns)).to.equal(false)
    expect(matchesHost('app.example', [])).to.equal(false)
  })

  it('allows nothing that is no host', () => {
    const wide = ['app.example', '*.app.example', '*.*.app.example', 'localhost']
    for (const host of [
      '',
      ' ',
      'app.example ',
      'a@app.example',
      'a:b@app.example',
      'app.example/',
      'app.example\\',
      'app.example#',
      'app.example?x',
      'evil.example#.app.example',
      'evil.example/.app.example',
      'evil.example\\.app.example',
      'evil.example:80.app.example',
      'app.example:',
      'app.example:x',
      'app.example:99999',
      'app.example:8443:1',
      'https://app.example',
      'app.example\n',
      'app.example\t',
      'a\u0000.app.example',
      '*.app.example',
      '%2e.app.example',
      'evil%2eapp.example',
      '[app.example]',
      `${'a'.repeat(300)}.app.example`,
    ]) {
      expect(matchesHost(host, wide), JSON.stringify(host)).to.equal(false)
    }
  })

  it('takes full-width dots and letters for what browsers take them for', () => {
    expect(matchesHost('a。app.example', ['*.app.example'])).to.equal(true)
    expect(matchesHost('evil。x.app.example', ['*.app.example'])).to.equal(false)
  })

  it('reports a malformed pattern and a pattern for hosts of anybody, and such a pattern allows nothing', () => {
    const faults: readonly [string, RegExp][] = [
      ['', /not a string/],
      ['https://app.example', /scheme/],
      ['app.example/auth', /no host/],
      ['*', /anybody/],
      ['*.*', /anybody/],
      ['*.example', /anybody/],
      ['*app.example', /anybody/],
      ['app.*', /anybody/],
      ['10.0.0.*', /anybody/],
      ['pr-*-*.app.example', /twice/],
      ['**.app.example', /twice/],
      ['.app.example', /empty label/],
      ['app..example', /empty label/],
      ['app.example.', /empty label/],
      ['bü*.app.example', /punycode/],
      ['app.example:', /no host/],
      ['app.example:*', /no host/],
      ['app.example:70000', /no host/],
      ['a b.example', /no host/],
    ]
    for (const [pattern, fault] of faults) {
      expect(hostPatternProblem(pattern), pattern).to.match(fault)
      for (const host of ['app.example', 'a.app.example', 'x.example', '10.0.0.1']) {
        expect(matchesHost(host, [pattern]), `${pattern} ${host}`).to.equal(false)
      }
    }
    for (const wrong of [undefined, null, 7, {}] as unknown as string[])
      expect(hostPatternProblem(wrong)).to.match(/not a string/)
  })
})

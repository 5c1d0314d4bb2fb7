import { expect } from 'chai'
import { pathReadings } from '../../lib/kernel/path-readings.js'

describe('the readings of a path', () => {
  it('are one where nothing can be read in two ways', () => {
    for (const path of [
      '/',
      '/admin',
      '/a/b-c_d~e',
      '/a.b/...',
      '/.well-known/x',
      '/a..b',
      "/a+b,c;d=e@f:80!$&'()*",
      '/%20',
      '/%C3%A9',
      '/%25',
      '/%3F%23',
      '/[a]|',
    ]) {
      expect(pathReadings(path, { foldsCase: true }), path).to.deep.equal([path])
    }
    expect(pathReadings('/Admin', { foldsCase: false })).to.deep.equal(['/Admin'])
  })

  it('are the path as it came, then with one spelling for each character, then with encoded slashes as slashes, then each without a trailing slash', () => {
    for (const [path, ...others] of [
      ['/Admin', '/admin'],
      ['/%61dmin', '/admin'],
      ['/%41dmin', '/admin'],
      ['/%2561dmin/A', '/%2561dmin/a'],
      ['/users/ada%40app.example', '/users/ada@app.example'],
      ['/c%2b%2B', '/c++'],
      ['/a%5b1%5D%7c', '/a[1]|'],
      ['/CAF%c3%a9', '/caf%C3%A9'],
      ['/%e2%82%ac', '/%E2%82%AC'],
      ['/A%2fb', '/a%2Fb', '/a/b'],
      ['/a%2Fb', '/a/b'],
      ['/a%3Fb%3d', '/a%3Fb='],
      ['/admin/', '/admin'],
      ['/a/b-c_d~e/', '/a/b-c_d~e'],
      ['/Admin/', '/admin/', '/Admin', '/admin'],
      ['/%61dmin/', '/admin/', '/%61dmin', '/admin'],
      ['/admin%2F', '/admin/', '/admin'],
      ['/x%2Fadmin%2f', '/x%2Fadmin%2F', '/x/admin/', '/x/admin'],
    ] as const) {
      expect(pathReadings(path, { foldsCase: true }), path).to.deep.equal([path, ...others])
    }
    expect(pathReadings('/%41dmin', { foldsCase: false })).to.deep.equal(['/%41dmin', '/Admin'])
  })

  it('are refused with 400 where one reader resolves what another keeps', () => {
    for (const path of [
      ...['//admin', '/a//b', '/a//', '//', '/a%2f%2fb', '/%2fadmin', '/a/%2Fb', '/a%2F/'],
      ...['/.', '/..', '/a/./b', '/a/../b', '/a/.', '/a/..', '/%2e', '/a/%2E%2e/b', '/a%2f..%2fb', '/a/.%2e'],
      ...['/a\\b', '/a%5Cb', '/a%5c', '/a#b', '/a b', '/a\tb', '/a\u0000', '/a%00', '/a%0d%0a', '/a%7f', '/a%c2%85'],
      ...['/%', '/%4', '/%zz', '/a%', '/%u0061', '/%c0%ae', '/%e0%80%af', '/%ff', '/%ed%a0%80', '/é', '/a\u00a0'],
      ...['', 'admin', '*', '?x', 'http://app.example/'],
    ]) {
      expect(() => pathReadings(path, { foldsCase: true }), path)
        .to.throw()
        .with.property('status', 400)
    }
  })
})

import { expect } from 'chai'
import { editDistance, nearestName } from '../../lib/kernel/nearest-name.js'

describe('the nearest name', () => {
  const names = ['signIn', 'signOut', 'session', 'jwt', 'maxAge', 'url']

  it('is the same but for case, dashes and underscores', () => {
    for (const written of ['signin', 'SIGNIN', 'sign_in', 'sign-in', '_signIn']) {
      expect(nearestName(written, names), written).to.equal('signIn')
    }
  })

  it('is one or two slips away, and one in a short name', () => {
    for (const [written, meant] of [
      ['singIn', 'signIn'],
      ['signInn', 'signIn'],
      ['sgnI', 'signIn'],
      ['sesions', 'session'],
      ['jtw', 'jwt'],
      ['uri', 'url'],
      ['xwu', undefined],
      ['authorize', undefined],
      ['', undefined],
    ] as const) {
      expect(nearestName(written, names), written).to.equal(meant)
    }
  })

  it('is the nearest of several', () => {
    expect(nearestName('signOu', ['signIn', 'signOut'])).to.equal('signOut')
    expect(nearestName('anything', [])).to.equal(undefined)
  })

  it('is counted in letters added, left out, replaced and swapped', () => {
    for (const [one, other, distance] of [
      ['', '', 0],
      ['', 'abc', 3],
      ['abc', 'abc', 0],
      ['abc', 'acb', 1],
      ['abc', 'abd', 1],
      ['abc', 'ab', 1],
      ['kitten', 'sitting', 3],
    ] as const) {
      expect(editDistance(one, other), `${one} ${other}`).to.equal(distance)
      expect(editDistance(other, one), `${other} ${one}`).to.equal(distance)
    }
  })
})

import { expect } from 'chai'
import { isAbsoluteUrl } from '../../lib/kernel/urls.js'

describe('isAbsoluteUrl', () => {
  it('knows a host that is not ASCII, also after many calls', () => {
    for (let call = 0; call < 200_000; call += 1) isAbsoluteUrl(`https://app.example/${call}`)
    expect(isAbsoluteUrl('https://bücher.example')).to.equal(true)
    expect(isAbsoluteUrl('https://')).to.equal(false)
    expect(isAbsoluteUrl('/path')).to.equal(false)
  })
})

import { expect } from 'chai'
import { renderReport } from '../../bench/report.js'
import type { Results } from '../../bench/results.js'
import { readText } from './documents.js'

describe('docs/performance.md', () => {
  const results = JSON.parse(readText('bench/results.json')) as Results

  it('says exactly what bench/results.json does, of a whole run', () => {
    expect(results.quick).to.equal(false)
    expect(readText('docs/performance.md')).to.equal(renderReport(results))
  })
})

import { rmSync } from 'node:fs'
import { build } from 'vitepress'
import { writeReference } from './api.js'
import { writePages } from './pages.js'
import { PAGES, SITE } from './places.js'

rmSync(PAGES, { recursive: true, force: true })
await writeReference()
writePages()
await build(SITE)

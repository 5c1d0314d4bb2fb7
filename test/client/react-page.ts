/// <reference lib="dom" />
import { createElement, StrictMode, useEffect } from 'react'
import { createRoot, hydrateRoot, type Root } from 'react-dom/client'
import * as auth from '../../lib/client/react/index.js'
import { VisitorLine, type VisitorProps, type Watched } from './react-visitor.js'

/** How a test wants the page. */
export interface PageOptions extends VisitorProps {
  provider?: Omit<auth.SessionProviderProps, 'children'>
  isStrict?: boolean
  /** Whether a component reads the session in an effect, before the effects of the provider. */
  asksInEffect?: boolean
  /** Another component, which the page shows only then. */
  guarded?: VisitorProps
}

const watched: Required<Pick<Watched, 'shown'>> & Watched = { shown: [] }
const faults: string[] = []
let root: Root | undefined

function Asking() {
  useEffect(() => {
    auth.getCsrfToken().catch(() => {})
  }, [])
  return null
}

const tree = ({ provider = {}, isStrict = true, asksInEffect, guarded, ...visitor }: PageOptions) => {
  const children = [createElement(VisitorLine, { key: 'visitor', watched, ...visitor })]
  if (asksInEffect) children.push(createElement(Asking, { key: 'asking' }) as never)
  if (guarded) children.push(createElement(VisitorLine, { key: 'guarded', id: 'guarded', watched, ...guarded }))
  const page = createElement(auth.SessionProvider, provider, children)
  return isStrict ? createElement(StrictMode, null, page) : page
}

const place = () => document.querySelector('#root') as HTMLElement

/** Renders the page, or renders it again with other properties. */
const render = (options: PageOptions = {}) => {
  root ??= createRoot(place())
  root.render(tree(options))
}

/** Takes over the HTML of the server. */
const hydrate = (options: PageOptions = {}) => {
  const onRecoverableError = (error: unknown) => faults.push(String(error))
  root = hydrateRoot(place(), tree(options), { onRecoverableError })
}

Object.assign(window, { auth, watched, faults, render, hydrate })

import type { Texts } from './english.js'

/** The texts in Dutch, with `je`, as most sites write. */
export const DUTCH: Texts = {
  'signIn.title': 'Inloggen',
  'signIn.lead': 'om verder te gaan naar {site}',
  'signIn.or': 'of',
  'signIn.with': 'Inloggen met {provider}',
  'signIn.submit': 'Inloggen',
  'signIn.remember': 'Ingelogd blijven',
  'signIn.lastUsed': 'Laatst gebruikt',
  'signIn.nothing': 'Je kunt hier nog op geen enkele manier inloggen.',
  'signIn.signedIn': 'Je bent ingelogd als {user}.',
  'signIn.signedInNote': 'Als je als iemand anders inlogt, eindigt deze sessie in deze browser.',
  'signIn.signedInAdds':
    'Een andere manier van inloggen die je hier kiest, wordt aan je account toegevoegd. Log eerst uit om als iemand anders in te loggen.',
  'signIn.continue': 'Doorgaan',
  'signIn.signOut': 'Uitloggen',
  'signIn.needsScript':
    'Passkeys hebben JavaScript nodig. Zet JavaScript aan voor deze site en laad de pagina opnieuw.',
  'signIn.needsPasskeys':
    'Deze browser ondersteunt geen passkeys. Open deze pagina in een andere browser om in te loggen.',
  'email.submit': 'Stuur mij een link',
  'email.hint': 'Geen wachtwoord nodig: we sturen je een link waarmee je inlogt.',
  'passkey.submit': 'Inloggen met een passkey',
  'passkey.hint': 'Met je vingerafdruk, gezicht of schermvergrendeling. Geen wachtwoord nodig.',
  'passkey.new': 'Nieuw hier?',
  'passkey.create': 'Passkey maken',
  'passkey.signUp': 'Registreren met {provider}',
  'links.forgot': 'Wachtwoord vergeten?',
  'links.signUpLead': 'Nieuw hier?',
  'links.signUp': 'Account maken',
  'links.terms': 'Voorwaarden',
  'links.privacy': 'Privacybeleid',
  'links.support': 'Hulp',
  'field.email': 'E-mail',
  'field.username': 'Gebruikersnaam',
  'field.password': 'Wachtwoord',
  'field.code': 'Code',
  'signIn.error.general': 'We konden je niet inloggen. Probeer het opnieuw.',
  'signIn.error.notStarted':
    'We konden niet beginnen met inloggen. Probeer het opnieuw of log op een andere manier in.',
  'signIn.error.notCreated': 'We konden op die manier geen account voor je maken. Log op een andere manier in.',
  'signIn.error.accountNotLinked':
    'Dat account hoort hier bij iemand anders. Log in met het account dat je eerder gebruikte.',
  'signIn.error.callback': 'Het inloggen kon niet worden afgerond. Begin hier opnieuw.',
  'signIn.error.credentials': 'Deze gegevens horen niet bij een account. Controleer ze en probeer het opnieuw.',
  'signIn.error.email': 'We konden de e-mail niet versturen. Controleer het adres en probeer het opnieuw.',
  'signIn.error.emailUnavailable':
    'We kunnen nu geen e-mails versturen. Probeer het zo meteen opnieuw of log op een andere manier in.',
  'signIn.error.csrf':
    'Deze pagina stond te lang open, of je browser bewaart onze cookies niet. Probeer het nog een keer.',
  'signIn.error.otherWay':
    'Tot nu toe logde je met dit e-mailadres op een andere manier in. Log weer op die manier in. Was het deze manier, neem dan contact met ons op.',
  'signIn.error.cancelled':
    'Het inloggen is geannuleerd, duurde te lang of was al gebruikt. Je kunt hier opnieuw beginnen.',
  'signIn.error.expired': 'Het inloggen is niet op tijd afgerond. Je kunt hier opnieuw beginnen.',
  'signIn.error.recent':
    'Je bent al een tijdje geleden ingelogd. Log opnieuw in op een manier die je eerder gebruikte, en voeg dan de nieuwe toe. Log eerst uit om als iemand anders in te loggen.',
  'signIn.error.recentOpenPage':
    'Je bent al een tijdje geleden ingelogd. Log opnieuw in op een manier die je eerder gebruikte om deze pagina te openen.',
  'signIn.error.recentEndSessions':
    'Je bent al een tijdje geleden ingelogd. Log opnieuw in op een manier die je eerder gebruikte, en beëindig dan de andere sessies.',
  'signIn.error.recentRemoveAccount':
    'Je bent al een tijdje geleden ingelogd. Log opnieuw in op een manier die je eerder gebruikte, en verwijder dan het account.',
  'signIn.error.sessionChanged':
    'Intussen heb jij of iemand anders in deze browser in- of uitgelogd, en daarmee is dit inloggen gestopt. Je kunt hier opnieuw beginnen.',
  'signIn.error.sessionEnded':
    'Intussen ben je in deze browser uitgelogd, of je sessie is afgelopen. Er is niets veranderd. Log opnieuw in.',
  'signIn.error.sessionRequired': 'Log in om die pagina te zien.',
  'signIn.error.addressTaken':
    'Je hebt hier al een account met hetzelfde e-mailadres. Log in zoals eerder. Daarna kun je {provider} koppelen.',
  'signIn.error.otherId': '{provider} had eerder een andere id voor jou. Log anders in, of neem contact met ons op.',
  'signIn.error.addressTakenUnproven':
    'Het e-mailadres van dat account is hier al in gebruik. Is het van jou? Log dan in zoals eerder, of met een link die we je e-mailen. Daarna kun je {provider} koppelen.',
  'passkey.waiting': 'Wachten op je passkey…',
  'passkey.signedIn': 'Je bent ingelogd. Een ogenblik…',
  'passkey.error.failed': 'Dat is niet gelukt. Probeer het opnieuw of log op een andere manier in.',
  'passkey.error.offline': 'We zijn nu niet bereikbaar. Controleer je verbinding en probeer het opnieuw.',
  'passkey.error.server': 'Er ging iets mis aan onze kant. Probeer het later opnieuw.',
  'passkey.error.accessDenied': 'Dat is gelukt, maar dit account heeft hier geen toegang.',
  'passkey.error.accountNotLinked': 'Er is al een account met dat e-mailadres. Log in zoals eerder.',
  'passkey.error.alreadyRegistered': 'Je hebt op dit apparaat al een passkey. Gebruik die om in te loggen.',
  'passkey.error.cancelled':
    'Dat is geannuleerd, of er is op dit apparaat geen passkey voor deze site. Je kunt het opnieuw proberen.',
  'passkey.error.notCreated': 'Dat is geannuleerd, en er is geen passkey gemaakt. Je kunt het opnieuw proberen.',
  'passkey.error.noAuthenticator': 'Dit apparaat kan dat niet. Probeer een ander apparaat of een beveiligingssleutel.',
  'passkey.error.notAllowed': 'Je browser staat op deze pagina geen passkeys toe.',
  'passkey.error.notVerified':
    'We kennen die passkey niet of konden hem niet controleren. Probeer een andere passkey of log op een andere manier in.',
  'passkey.error.refused':
    'We kunnen voor dat adres geen account maken. Heb je al een account? Log dan in zoals eerder.',
  'passkey.error.recent': 'Je bent al een tijdje geleden ingelogd. Log opnieuw in en voeg dan de passkey toe.',
  'passkey.error.sessionChanged':
    'Intussen heb jij of iemand anders in deze browser in- of uitgelogd. Laad de pagina opnieuw.',
  'passkey.error.timedOut': 'Dat duurde te lang. Probeer het opnieuw.',
  'passkey.error.unsupported': 'Deze browser ondersteunt geen passkeys.',
  'verifyRequest.title': 'Bekijk je e-mail',
  'verifyRequest.lead':
    'We hebben je een link gestuurd waarmee je inlogt. Open hem in deze browser om meteen ingelogd te zijn.',
  'verifyRequest.leadTo':
    'We hebben een link gestuurd naar {address}. Open hem in deze browser om meteen ingelogd te zijn.',
  'verifyRequest.leadAgain':
    'We hebben nog een link gestuurd naar {address}. Open de nieuwste in deze browser om meteen ingelogd te zijn.',
  'verifyRequest.lifetime': 'De link werkt één keer, gedurende {lifetime}.',
  'verifyRequest.wait': 'Het kan een paar minuten duren voordat hij aankomt.',
  'verifyRequest.junk': 'Komt er niets aan? Kijk dan ook bij je ongewenste e-mail.',
  'verifyRequest.again': 'Nog een link sturen',
  'verifyRequest.other': 'Een ander adres gebruiken',
  'confirm.title': 'Ben jij dit?',
  'confirm.lead': 'Je staat op het punt in te loggen bij {site}.',
  'confirm.leadAs': 'Je staat op het punt bij {site} in te loggen als {user}.',
  'confirm.submit': 'Inloggen',
  'confirm.hint': 'Heb je hier niet om gevraagd? Sluit dan deze pagina. Er gebeurt niets.',
  'link.title': '{provider} koppelen',
  'link.titlePermission': 'Toestemming bij {provider}',
  'link.titleSignIn': 'Inloggen bij {provider}',
  'link.lead': 'Je staat op het punt je account bij {provider} te koppelen aan je account bij {site}.',
  'link.leadPermission':
    '{provider} vraagt opnieuw om je toestemming. Je account bij {site} is al gekoppeld aan een account daar.',
  'link.leadSignIn':
    'Je staat op het punt opnieuw in te loggen bij {provider}, zodat {site} je account daar kan gebruiken.',
  'link.user': 'Je bent ingelogd als {user}.',
  'link.way': 'We sturen je naar {provider}, en je komt hier terug.',
  'link.afterwards': 'Daarna kun je ook inloggen met {provider}.',
  'link.anotherAccount':
    'Kies je daar een ander account, dan wordt dat ook gekoppeld. Daarna kun je er ook mee inloggen.',
  'link.scope': 'We vragen {provider} om meer rechten:',
  'link.submit': '{provider} koppelen',
  'link.submitContinue': 'Verder naar {provider}',
  'link.back': 'Niet nu',
  'link.error.general': 'Het account kon niet worden gekoppeld. Er is niets veranderd. Je kunt het opnieuw proberen.',
  'link.error.csrf':
    'Deze pagina stond te lang open, of je browser bewaart onze cookies niet. Druk nog een keer op de knop.',
  'link.error.cancelled':
    'Dat is geannuleerd, duurde te lang of was al gebruikt. Er is niets veranderd. Je kunt het opnieuw proberen.',
  'link.error.ofAnotherUser':
    'Dat account hoort hier bij iemand anders en is daarom niet gekoppeld. Er is niets veranderd. Druk op de knop om een ander account te koppelen. {provider} vraagt je dan welk account het is.',
  'link.error.ofAnotherUserSignOut':
    'Dat account hoort hier bij iemand anders en is daarom niet gekoppeld. Er is niets veranderd. Log eerst uit bij {provider} om een ander account te koppelen. Druk dan op de knop.',
  'signOut.title': 'Uitloggen',
  'signOut.lead': 'Je staat op het punt op dit apparaat uit te loggen bij {site}.',
  'signOut.also': 'Ook uitloggen bij {provider}',
  'signOut.alsoSure': 'Je wordt ook uitgelogd bij {provider}.',
  'signOut.submit': 'Uitloggen',
  'signOut.stay': 'Ingelogd blijven',
  'signOut.error.csrf':
    'Je bent nog ingelogd: de pagina stond te lang open, of je browser bewaart onze cookies niet. Druk nog een keer op de knop.',
  'signedOut.title': 'Je bent uitgelogd',
  'signedOut.lead': 'Niemand is in deze browser ingelogd bij {site}.',
  'signedOut.signIn': 'Inloggen',
  'providerLogout.title': 'Uitloggen bij {provider}',
  'providerLogout.lead': 'Je bent hier uitgelogd. Ga verder om ook bij {provider} uit te loggen.',
  'providerLogout.submit': 'Verder',
  'providerLogout.stay': 'Daar ingelogd blijven',
  'error.status': 'Fout {status}',
  'error.toSignIn': 'Naar inloggen',
  'error.startAgain': 'Opnieuw beginnen',
  'error.tryAgain': 'Opnieuw proberen',
  'error.goBack': 'Terug',
  'error.otherAccount': 'Met een ander account inloggen',
  'error.sendLink': 'Nieuwe link sturen',
  'error.continue': 'Doorgaan',
  'error.home': 'Naar de startpagina',
  'error.log': 'Voor ontwikkelaars: het logboek van de server noemt de reden.',
  'error.general.title': 'Er ging iets mis',
  'error.general.text': 'Dat is niet gelukt. Probeer het opnieuw.',
  'error.accessDenied.title': 'Geen toegang',
  'error.accessDenied.text':
    'Je bent ingelogd, maar dit account heeft hier geen toegang. Heb je een ander account? Probeer het daarmee.',
  'error.accessDenied.textId': 'Je id op de andere site is te lang of bevat ongewone tekens. Neem contact met ons op.',
  'error.configuration.title': 'Een probleem aan onze kant',
  'error.configuration.text':
    'Er is iets verkeerd ingesteld, en we konden je verzoek niet uitvoeren. Probeer het later opnieuw.',
  'error.unavailable.title': 'Een ogenblik',
  'error.unavailable.text':
    'Een deel van onze dienst reageert nu niet. Er is niets verloren. Probeer het zo meteen opnieuw.',
  'error.sessionUnavailable.title': 'Een ogenblik',
  'error.sessionUnavailable.text':
    'We kunnen nu niet nagaan of je bent ingelogd. Er is niets verloren. Probeer het zo meteen opnieuw.',
  'error.signOut.title': 'Uitgelogd in deze browser',
  'error.signOut.text':
    'Je bent uitgelogd in deze browser en hoeft niets meer te doen. Aan onze kant kan je sessie nog een tijdje open zijn. Dat is alleen van belang als iemand er een kopie van heeft. Denk je dat, laat het ons dan weten.',
  'error.emailNotConfirmed.title': 'Dit adres is niet bevestigd',
  'error.emailNotConfirmed.text':
    'Iemand heeft zich hier op een andere manier met dit e-mailadres geregistreerd en het nooit bevestigd. Was jij dat, log dan weer op die manier in. Was jij het niet, laat het dan de beheerders van deze site weten. De link is gebruikt.',
  'error.verification.title': 'Deze link werkt niet meer',
  'error.verification.text': 'Hij is al gebruikt of verlopen. Log opnieuw in om een nieuwe link te krijgen.',
  'error.verification.textSend': 'Hij is al gebruikt of verlopen. We kunnen een nieuwe link sturen naar {address}.',
  'error.verification.textSignedIn': 'Hij is al gebruikt of verlopen. Je bent al ingelogd en hebt hem niet nodig.',
  'error.passkey.title': 'Je passkey is niet geaccepteerd',
  'error.passkey.text': 'We konden hem niet controleren. Probeer het opnieuw of log op een andere manier in.',
  'error.notAllowed.title': 'Geen toegang tot deze pagina',
  'error.notAllowed.text':
    'Je bent ingelogd, maar je account mag deze pagina niet openen. Heb je een ander account? Log daarmee in.',
  'refusal.general.title': 'Dat hebben we niet begrepen',
  'refusal.general.text': 'Het verzoek was onvolledig of beschadigd. Begin opnieuw.',
  'refusal.notFound.title': 'Hier is niets',
  'refusal.notFound.text': 'Er is geen pagina op dit adres. Controleer het adres op fouten.',
  'refusal.method.title': 'Dat werkt hier niet',
  'refusal.method.text': 'Dit adres kan niet op die manier worden gebruikt. Begin opnieuw.',
  'refusal.lastWay.title': 'Je enige manier om in te loggen',
  'refusal.lastWay.text':
    'Zonder deze manier zou je niet meer kunnen inloggen, dus is hij niet verwijderd. Voeg eerst een andere manier toe.',
  'refusal.tooLarge.title': 'Te groot',
  'refusal.tooLarge.text': 'Je verzoek is groter dan we accepteren. Maak het korter en probeer het opnieuw.',
  'refusal.format.title': 'Onbekende indeling',
  'refusal.format.text': 'Je verzoek heeft een indeling die we niet kunnen lezen. Gebruik het formulier op deze site.',
  'refusal.form.title': 'Probeer het opnieuw',
  'refusal.form.text':
    'De pagina stond te lang open, of je browser bewaart onze cookies niet. Er is niets veranderd. Ga terug en druk nog een keer op de knop.',
  'refusal.signedOut.title': 'Je bent uitgelogd',
  'refusal.signedOut.text':
    'Intussen ben je in deze browser uitgelogd, of je sessie is afgelopen. Er is niets veranderd. Log opnieuw in en druk dan nog een keer op de knop.',
  'refusal.gone.title': 'Niet gevonden',
  'refusal.gone.text': 'Misschien is het al verwijderd. Ga terug om te zien wat er nu is.',
  'site.unknown': 'deze site',
  'mail.signIn.subject': 'Inloggen bij {site}',
  'mail.signIn.preview': 'Je link werkt {lifetime}.',
  'mail.signIn.lead':
    'Iemand, waarschijnlijk jij, heeft om deze link gevraagd. Hij werkt één keer, gedurende {lifetime}.',
  'mail.signIn.open': 'Open deze link in je browser:',
  'mail.signIn.button': 'Inloggen',
  'mail.signIn.copy': 'Werkt de knop niet? Kopieer dan dit adres naar je browser:',
  'mail.signIn.ignore':
    'Heb je er niet om gevraagd? Dan kun je dit bericht negeren. Zonder de link kan niemand inloggen.',
  'mail.notice.subject': '{title}: {site}',
  'mail.notice.added': 'Een nieuwe manier om in te loggen',
  'mail.notice.removed': 'Een manier om in te loggen is verwijderd',
  'mail.notice.accountLinked': '{provider} is gekoppeld aan je account bij {site}. Je kunt er nu mee inloggen.',
  'mail.notice.accountUnlinked':
    '{provider} is losgekoppeld van je account bij {site}. Je kunt er niet meer mee inloggen.',
  'mail.notice.passkeyAdded': 'Er is een passkey toegevoegd aan je account bij {site}. Je kunt er nu mee inloggen.',
  'mail.notice.passkeyRemoved':
    'Er is een passkey verwijderd van je account bij {site}. Je kunt er niet meer mee inloggen.',
  'mail.notice.unknownProvider': 'Een aanbieder',
  'mail.notice.advice':
    'Was jij dit niet? Log dan in, beëindig alle andere sessies en laat het de beheerders van deze site weten.',
}

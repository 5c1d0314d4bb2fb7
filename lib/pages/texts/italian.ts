import type { Texts } from './english.js'

/** The texts in Italian, with `tu`, as most sites write. */
export const ITALIAN: Texts = {
  'signIn.title': 'Accedi',
  'signIn.lead': 'per continuare su {site}',
  'signIn.or': 'oppure',
  'signIn.with': 'Accedi con {provider}',
  'signIn.submit': 'Accedi',
  'signIn.remember': 'Resta connesso',
  'signIn.lastUsed': 'Usato per ultimo',
  'signIn.nothing': 'Qui non c’è ancora nessun modo per accedere.',
  'signIn.signedIn': 'Hai effettuato l’accesso come {user}.',
  'signIn.signedInNote': 'Se accedi come un’altra persona, questa sessione termina in questo browser.',
  'signIn.signedInAdds':
    'Un altro modo di accedere che scegli qui viene aggiunto al tuo account. Per accedere come un’altra persona, esci prima.',
  'signIn.continue': 'Continua',
  'signIn.signOut': 'Esci',
  'signIn.needsScript': 'Le passkey richiedono JavaScript. Attiva JavaScript per questo sito e ricarica la pagina.',
  'signIn.needsPasskeys':
    'Questo browser non supporta le passkey. Apri questa pagina in un altro browser per accedere.',
  'email.submit': 'Ricevi un link via e-mail',
  'email.hint': 'Senza password: ti inviamo un link per accedere.',
  'passkey.submit': 'Accedi con una passkey',
  'passkey.hint': 'Con l’impronta, il volto o il blocco schermo. Senza password.',
  'passkey.new': 'Non hai un account?',
  'passkey.create': 'Crea una passkey',
  'passkey.signUp': 'Registrati con {provider}',
  'links.forgot': 'Password dimenticata?',
  'links.signUpLead': 'Non hai un account?',
  'links.signUp': 'Crea un account',
  'links.terms': 'Termini',
  'links.privacy': 'Privacy',
  'links.support': 'Aiuto',
  'field.email': 'E-mail',
  'field.username': 'Nome utente',
  'field.password': 'Password',
  'field.code': 'Codice',
  'signIn.error.general': 'Non siamo riusciti a farti accedere. Riprova.',
  'signIn.error.notStarted': 'Non siamo riusciti ad avviare l’accesso. Riprova o scegli un altro modo per accedere.',
  'signIn.error.notCreated':
    'Non siamo riusciti a creare un account in questo modo. Scegli un altro modo per accedere.',
  'signIn.error.accountNotLinked':
    'Questo account appartiene qui a un’altra persona. Accedi con l’account che usavi prima.',
  'signIn.error.callback': 'Non è stato possibile completare l’accesso. Ricomincia da qui.',
  'signIn.error.credentials': 'Questi dati non corrispondono a nessun account. Controllali e riprova.',
  'signIn.error.email': 'Non siamo riusciti a inviare l’e-mail. Controlla l’indirizzo e riprova.',
  'signIn.error.emailUnavailable':
    'Al momento non possiamo inviare e-mail. Riprova fra poco o scegli un altro modo per accedere.',
  'signIn.error.csrf':
    'Questa pagina è rimasta aperta troppo a lungo, oppure il browser non conserva i nostri cookie. Riprova.',
  'signIn.error.otherWay':
    'Finora con questo indirizzo e-mail accedevi in un altro modo. Accedi di nuovo in quel modo. Se era questo, contattaci.',
  'signIn.error.cancelled':
    'L’accesso è stato annullato, ha richiesto troppo tempo o era già stato usato. Puoi ricominciare da qui.',
  'signIn.error.expired': 'L’accesso non è stato completato in tempo. Puoi ricominciare da qui.',
  'signIn.error.recent':
    'Hai effettuato l’accesso da un po’ di tempo. Accedi di nuovo in un modo che usavi già, poi aggiungi quello nuovo. Per accedere come un’altra persona, esci prima.',
  'signIn.error.recentOpenPage':
    'Hai effettuato l’accesso da un po’ di tempo. Per aprire questa pagina, accedi di nuovo in un modo che usavi già.',
  'signIn.error.recentEndSessions':
    'Hai effettuato l’accesso da un po’ di tempo. Accedi di nuovo in un modo che usavi già, poi chiudi le altre sessioni.',
  'signIn.error.recentRemoveAccount':
    'Hai effettuato l’accesso da un po’ di tempo. Accedi di nuovo in un modo che usavi già, poi rimuovi l’account.',
  'signIn.error.sessionChanged':
    'Nel frattempo tu o qualcun altro avete effettuato l’accesso o siete usciti in questo browser, e questo accesso è terminato. Puoi ricominciare da qui.',
  'signIn.error.sessionEnded':
    'Nel frattempo sei uscito in questo browser, oppure la tua sessione è terminata. Non è cambiato nulla. Accedi di nuovo.',
  'signIn.error.sessionRequired': 'Accedi per vedere questa pagina.',
  'signIn.error.addressTaken':
    'Hai già un account qui con lo stesso indirizzo e-mail. Accedi come prima. Poi potrai collegare {provider}.',
  'signIn.error.otherId': '{provider} aveva un altro identificativo per te. Accedi in un altro modo o contattaci.',
  'signIn.error.addressTakenUnproven':
    'L’indirizzo e-mail di questo account è già usato qui. Se è il tuo, accedi come prima o con un link che ti inviamo via e-mail. Poi potrai collegare {provider}.',
  'passkey.waiting': 'In attesa della tua passkey…',
  'passkey.signedIn': 'Accesso effettuato. Un momento…',
  'passkey.error.failed': 'Non ha funzionato. Riprova o accedi in un altro modo.',
  'passkey.error.offline': 'Al momento non siamo raggiungibili. Controlla la connessione e riprova.',
  'passkey.error.server': 'Si è verificato un problema da parte nostra. Riprova più tardi.',
  'passkey.error.accessDenied': 'Ha funzionato, ma questo account non ha accesso a questo sito.',
  'passkey.error.accountNotLinked': 'Esiste già un account con questo indirizzo e-mail. Accedi come prima.',
  'passkey.error.alreadyRegistered': 'Hai già una passkey su questo dispositivo. Usala per accedere.',
  'passkey.error.cancelled':
    'L’operazione è stata annullata, oppure su questo dispositivo non c’è una passkey per questo sito. Puoi riprovare.',
  'passkey.error.notCreated': 'L’operazione è stata annullata e non è stata creata nessuna passkey. Puoi riprovare.',
  'passkey.error.noAuthenticator':
    'Questo dispositivo non può farlo. Prova con un altro dispositivo o con una chiave di sicurezza.',
  'passkey.error.notAllowed': 'Il browser non consente le passkey in questa pagina.',
  'passkey.error.notVerified':
    'Non conosciamo questa passkey o non siamo riusciti a verificarla. Prova con un’altra passkey o accedi in un altro modo.',
  'passkey.error.refused':
    'Non possiamo creare un account per questo indirizzo. Se hai già un account, accedi come prima.',
  'passkey.error.recent': 'Hai effettuato l’accesso da un po’ di tempo. Accedi di nuovo, poi aggiungi la passkey.',
  'passkey.error.sessionChanged':
    'Nel frattempo tu o qualcun altro avete effettuato l’accesso o siete usciti in questo browser. Ricarica la pagina.',
  'passkey.error.timedOut': 'Ha richiesto troppo tempo. Riprova.',
  'passkey.error.unsupported': 'Questo browser non supporta le passkey.',
  'verifyRequest.title': 'Controlla la tua e-mail',
  'verifyRequest.lead': 'Ti abbiamo inviato un link per accedere. Aprilo in questo browser per accedere subito.',
  'verifyRequest.leadTo': 'Abbiamo inviato un link a {address}. Aprilo in questo browser per accedere subito.',
  'verifyRequest.leadAgain':
    'Abbiamo inviato un altro link a {address}. Apri il più recente in questo browser per accedere subito.',
  'verifyRequest.lifetime': 'Il link funziona una sola volta, per {lifetime}.',
  'verifyRequest.wait': 'Può arrivare dopo un minuto o due.',
  'verifyRequest.junk': 'Se non arriva nulla, controlla anche la posta indesiderata.',
  'verifyRequest.again': 'Invia un altro link',
  'verifyRequest.other': 'Usa un altro indirizzo',
  'confirm.title': 'Sei tu?',
  'confirm.lead': 'Stai per accedere a {site}.',
  'confirm.leadAs': 'Stai per accedere a {site} come {user}.',
  'confirm.submit': 'Accedi',
  'confirm.hint': 'Se non l’hai chiesto tu, chiudi questa pagina. Non succederà nulla.',
  'link.title': 'Collega {provider}',
  'link.titlePermission': 'Autorizzazione su {provider}',
  'link.titleSignIn': 'Accedi a {provider}',
  'link.lead': 'Stai per collegare il tuo account {provider} al tuo account su {site}.',
  'link.leadPermission':
    '{provider} chiede di nuovo la tua autorizzazione. Il tuo account su {site} è già collegato a un account di quel servizio.',
  'link.leadSignIn': 'Stai per accedere di nuovo a {provider}, così {site} può usare il tuo account.',
  'link.user': 'Hai effettuato l’accesso come {user}.',
  'link.way': 'Ti portiamo su {provider}, poi torni qui.',
  'link.afterwards': 'Dopo potrai accedere anche con {provider}.',
  'link.anotherAccount':
    'Se scegli un altro account, viene collegato anche quello. Dopo potrai accedere anche con quello.',
  'link.scope': 'Chiediamo a {provider} altre autorizzazioni:',
  'link.submit': 'Collega {provider}',
  'link.submitContinue': 'Continua su {provider}',
  'link.back': 'Non ora',
  'link.error.general': 'Non è stato possibile collegare l’account. Non è cambiato nulla. Puoi riprovare.',
  'link.error.csrf':
    'Questa pagina è rimasta aperta troppo a lungo, oppure il browser non conserva i nostri cookie. Premi di nuovo il pulsante.',
  'link.error.cancelled':
    'L’operazione è stata annullata, ha richiesto troppo tempo o era già stata usata. Non è cambiato nulla. Puoi riprovare.',
  'link.error.ofAnotherUser':
    'Questo account appartiene qui a un’altra persona, quindi non è stato collegato. Non è cambiato nulla. Per collegare un altro account, premi il pulsante. {provider} ti chiederà quale.',
  'link.error.ofAnotherUserSignOut':
    'Questo account appartiene qui a un’altra persona, quindi non è stato collegato. Non è cambiato nulla. Per collegare un altro account, esci prima da {provider}. Poi premi il pulsante.',
  'signOut.title': 'Esci',
  'signOut.lead': 'Stai per uscire da {site} su questo dispositivo.',
  'signOut.also': 'Esci anche da {provider}',
  'signOut.alsoSure': 'Uscirai anche da {provider}.',
  'signOut.submit': 'Esci',
  'signOut.stay': 'Resta connesso',
  'signOut.error.csrf':
    'Sei ancora connesso: la pagina è rimasta aperta troppo a lungo, oppure il browser non conserva i nostri cookie. Premi di nuovo il pulsante.',
  'signedOut.title': 'Sei uscito',
  'signedOut.lead': 'Nessuno ha effettuato l’accesso a {site} in questo browser.',
  'signedOut.signIn': 'Accedi',
  'providerLogout.title': 'Esci da {provider}',
  'providerLogout.lead': 'Qui sei uscito. Continua per uscire anche da {provider}.',
  'providerLogout.submit': 'Continua',
  'providerLogout.stay': 'Resta connesso lì',
  'error.status': 'Errore {status}',
  'error.toSignIn': 'Vai all’accesso',
  'error.startAgain': 'Ricomincia',
  'error.tryAgain': 'Riprova',
  'error.goBack': 'Indietro',
  'error.otherAccount': 'Accedi con un altro account',
  'error.sendLink': 'Invia un nuovo link',
  'error.continue': 'Continua',
  'error.home': 'Vai alla pagina iniziale',
  'error.log': 'Per gli sviluppatori: il log del server indica il motivo.',
  'error.general.title': 'Qualcosa è andato storto',
  'error.general.text': 'Non ha funzionato. Riprova.',
  'error.accessDenied.title': 'Accesso negato',
  'error.accessDenied.text':
    'Hai effettuato l’accesso, ma questo account non è autorizzato qui. Se hai un altro account, prova con quello.',
  'error.accessDenied.textId': 'Il tuo identificativo sull’altro sito è troppo lungo o insolito. Contattaci.',
  'error.configuration.title': 'Un problema da parte nostra',
  'error.configuration.text':
    'Qualcosa è configurato male e non siamo riusciti a completare la richiesta. Riprova più tardi.',
  'error.unavailable.title': 'Un momento, per favore',
  'error.unavailable.text':
    'Una parte del nostro servizio al momento non risponde. Nulla è andato perso. Riprova fra poco.',
  'error.sessionUnavailable.title': 'Un momento, per favore',
  'error.sessionUnavailable.text':
    'Al momento non possiamo verificare se hai effettuato l’accesso. Nulla è andato perso. Riprova fra poco.',
  'error.signOut.title': 'Sei uscito in questo browser',
  'error.signOut.text':
    'Sei uscito in questo browser e non devi fare altro. Da parte nostra la sessione può restare aperta ancora per un po’. Conta solo se qualcuno ne ha una copia. Se lo pensi, avvisaci.',
  'error.emailNotConfirmed.title': 'Questo indirizzo non è confermato',
  'error.emailNotConfirmed.text':
    'Qualcuno si è registrato qui in un altro modo con questo indirizzo e-mail e non l’ha mai confermato. Se eri tu, accedi in quel modo. Altrimenti avvisa i responsabili di questo sito. Il link non è più utilizzabile.',
  'error.verification.title': 'Questo link non funziona più',
  'error.verification.text': 'È già stato usato o è scaduto. Accedi di nuovo per ricevere un nuovo link.',
  'error.verification.textSend': 'È già stato usato o è scaduto. Possiamo inviare un nuovo link a {address}.',
  'error.verification.textSignedIn':
    'È già stato usato o è scaduto. Hai già effettuato l’accesso, quindi non ti serve.',
  'error.passkey.title': 'La tua passkey non è stata accettata',
  'error.passkey.text': 'Non siamo riusciti a verificarla. Riprova o accedi in un altro modo.',
  'error.notAllowed.title': 'Non puoi aprire questa pagina',
  'error.notAllowed.text':
    'Hai effettuato l’accesso, ma il tuo account non può aprire questa pagina. Se hai un altro account, accedi con quello.',
  'refusal.general.title': 'Non abbiamo capito',
  'refusal.general.text': 'La richiesta era incompleta o danneggiata. Ricomincia.',
  'refusal.notFound.title': 'Qui non c’è nulla',
  'refusal.notFound.text': 'Non c’è nessuna pagina a questo indirizzo. Controlla che l’indirizzo sia giusto.',
  'refusal.method.title': 'Qui non funziona',
  'refusal.method.text': 'Questo indirizzo non si può usare in questo modo. Ricomincia.',
  'refusal.lastWay.title': 'Il tuo unico modo per accedere',
  'refusal.lastWay.text':
    'Senza non potresti più accedere, quindi non è stato rimosso. Aggiungi prima un altro modo per accedere.',
  'refusal.tooLarge.title': 'Troppo grande',
  'refusal.tooLarge.text': 'La richiesta è più grande di quanto accettiamo. Accorciala e riprova.',
  'refusal.format.title': 'Formato sconosciuto',
  'refusal.format.text': 'La richiesta ha un formato che non possiamo leggere. Usa il modulo di questo sito.',
  'refusal.form.title': 'Riprova',
  'refusal.form.text':
    'La pagina è rimasta aperta troppo a lungo, oppure il browser non conserva i nostri cookie. Non è cambiato nulla. Torna indietro e premi di nuovo il pulsante.',
  'refusal.signedOut.title': 'Sei uscito',
  'refusal.signedOut.text':
    'Nel frattempo sei uscito in questo browser, oppure la tua sessione è terminata. Non è cambiato nulla. Accedi di nuovo e poi premi ancora il pulsante.',
  'refusal.gone.title': 'Non trovato',
  'refusal.gone.text': 'Forse è già stato rimosso. Torna indietro per vedere che cosa c’è ora.',
  'site.unknown': 'questo sito',
  'mail.signIn.subject': 'Accedi a {site}',
  'mail.signIn.preview': 'Il link funziona per {lifetime}.',
  'mail.signIn.lead': 'Qualcuno, probabilmente tu, ha chiesto questo link. Funziona una sola volta, per {lifetime}.',
  'mail.signIn.open': 'Apri questo link nel browser:',
  'mail.signIn.button': 'Accedi',
  'mail.signIn.copy': 'Se il pulsante non funziona, copia questo indirizzo nel browser:',
  'mail.signIn.ignore': 'Se non l’hai chiesto tu, puoi ignorare questo messaggio. Senza il link nessuno può accedere.',
  'mail.notice.subject': '{title}: {site}',
  'mail.notice.added': 'Un nuovo modo per accedere',
  'mail.notice.removed': 'Un modo per accedere è stato rimosso',
  'mail.notice.accountLinked':
    '{provider} è stato collegato al tuo account su {site}. Ora puoi accedere in questo modo.',
  'mail.notice.accountUnlinked':
    '{provider} è stato scollegato dal tuo account su {site}. Non puoi più accedere in questo modo.',
  'mail.notice.passkeyAdded': 'Una passkey è stata aggiunta al tuo account su {site}. Ora puoi usarla per accedere.',
  'mail.notice.passkeyRemoved':
    'Una passkey è stata rimossa dal tuo account su {site}. Non puoi più usarla per accedere.',
  'mail.notice.unknownProvider': 'Un provider',
  'mail.notice.advice':
    'Se non sei stato tu, accedi, chiudi tutte le altre sessioni e avvisa i responsabili di questo sito.',
}

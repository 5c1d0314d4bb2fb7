import type { Texts } from './english.js'

/** The texts in German, with the polite form. */
export const GERMAN: Texts = {
  'signIn.title': 'Anmelden',
  'signIn.lead': 'um mit {site} fortzufahren',
  'signIn.or': 'oder',
  'signIn.with': 'Mit {provider} anmelden',
  'signIn.submit': 'Anmelden',
  'signIn.remember': 'Angemeldet bleiben',
  'signIn.lastUsed': 'Zuletzt benutzt',
  'signIn.nothing': 'Hier gibt es noch keine Möglichkeit, sich anzumelden.',
  'signIn.signedIn': 'Sie sind als {user} angemeldet.',
  'signIn.signedInNote': 'Wenn Sie sich als andere Person anmelden, endet diese Sitzung in diesem Browser.',
  'signIn.signedInAdds':
    'Eine andere Art der Anmeldung, die Sie hier wählen, wird zu Ihrem Konto hinzugefügt. Um sich als andere Person anzumelden, melden Sie sich zuerst ab.',
  'signIn.continue': 'Weiter',
  'signIn.signOut': 'Abmelden',
  'signIn.needsScript':
    'Passkeys benötigen JavaScript. Erlauben Sie JavaScript für diese Website, und laden Sie die Seite neu.',
  'signIn.needsPasskeys':
    'Dieser Browser unterstützt keine Passkeys. Öffnen Sie diese Seite in einem anderen Browser, um sich anzumelden.',
  'email.submit': 'Link zusenden',
  'email.hint': 'Ohne Passwort: Wir senden Ihnen einen Link, mit dem Sie sich anmelden.',
  'passkey.submit': 'Mit Passkey anmelden',
  'passkey.hint': 'Mit Fingerabdruck, Gesicht oder Bildschirmsperre. Ohne Passwort.',
  'passkey.new': 'Neu hier?',
  'passkey.create': 'Passkey erstellen',
  'passkey.signUp': 'Mit {provider} registrieren',
  'links.forgot': 'Passwort vergessen?',
  'links.signUpLead': 'Neu hier?',
  'links.signUp': 'Konto erstellen',
  'links.terms': 'Nutzungsbedingungen',
  'links.privacy': 'Datenschutz',
  'links.support': 'Hilfe',
  'field.email': 'E-Mail',
  'field.username': 'Benutzername',
  'field.password': 'Passwort',
  'field.code': 'Code',
  'signIn.error.general': 'Wir konnten Sie nicht anmelden. Bitte versuchen Sie es noch einmal.',
  'signIn.error.notStarted':
    'Wir konnten diese Anmeldung nicht beginnen. Bitte versuchen Sie es noch einmal, oder melden Sie sich auf andere Weise an.',
  'signIn.error.notCreated':
    'Auf diese Weise konnten wir kein Konto für Sie anlegen. Bitte melden Sie sich auf andere Weise an.',
  'signIn.error.accountNotLinked':
    'Dieses Konto gehört hier zu einer anderen Person. Melden Sie sich mit dem Konto an, das Sie zuvor verwendet haben.',
  'signIn.error.callback': 'Diese Anmeldung konnte nicht abgeschlossen werden. Bitte beginnen Sie hier noch einmal.',
  'signIn.error.credentials': 'Diese Angaben passen zu keinem Konto. Prüfen Sie sie, und versuchen Sie es noch einmal.',
  'signIn.error.email':
    'Wir konnten die E-Mail nicht senden. Prüfen Sie die Adresse, und versuchen Sie es noch einmal.',
  'signIn.error.emailUnavailable':
    'Wir können gerade keine E-Mails senden. Bitte versuchen Sie es gleich noch einmal, oder melden Sie sich auf andere Weise an.',
  'signIn.error.csrf':
    'Diese Seite war zu lange geöffnet, oder Ihr Browser behält unsere Cookies nicht. Bitte versuchen Sie es noch einmal.',
  'signIn.error.otherWay':
    'Mit dieser E-Mail-Adresse haben Sie sich bisher auf andere Weise angemeldet. Bitte melden Sie sich wieder so an. Wenn es diese war, wenden Sie sich bitte an uns.',
  'signIn.error.cancelled':
    'Diese Anmeldung wurde abgebrochen, hat zu lange gedauert oder wurde schon verwendet. Sie können hier neu beginnen.',
  'signIn.error.expired': 'Diese Anmeldung wurde nicht rechtzeitig abgeschlossen. Sie können hier neu beginnen.',
  'signIn.error.recent':
    'Ihre Anmeldung liegt schon eine Weile zurück. Bitte melden Sie sich so wie bisher noch einmal an, und fügen Sie dann die neue Möglichkeit hinzu. Um sich als andere Person anzumelden, melden Sie sich zuerst ab.',
  'signIn.error.recentOpenPage':
    'Ihre Anmeldung liegt schon eine Weile zurück. Bitte melden Sie sich so wie bisher noch einmal an, um diese Seite zu öffnen.',
  'signIn.error.recentEndSessions':
    'Ihre Anmeldung liegt schon eine Weile zurück. Bitte melden Sie sich so wie bisher noch einmal an, und beenden Sie dann die anderen Sitzungen.',
  'signIn.error.recentRemoveAccount':
    'Ihre Anmeldung liegt schon eine Weile zurück. Bitte melden Sie sich so wie bisher noch einmal an, und entfernen Sie dann das Konto.',
  'signIn.error.sessionChanged':
    'In diesem Browser haben inzwischen Sie oder jemand anderes sich an- oder abgemeldet. Damit ist diese Anmeldung beendet. Sie können hier neu beginnen.',
  'signIn.error.sessionEnded':
    'Sie haben sich inzwischen in diesem Browser abgemeldet, oder Ihre Sitzung ist beendet. Es hat sich nichts geändert. Bitte melden Sie sich wieder an.',
  'signIn.error.sessionRequired': 'Bitte melden Sie sich an, um diese Seite zu sehen.',
  'signIn.error.addressTaken':
    'Sie haben hier schon ein Konto mit derselben E-Mail-Adresse. Melden Sie sich so an wie bisher. Danach können Sie {provider} verbinden.',
  'signIn.error.otherId':
    '{provider} hatte eine andere Kennung für Sie. Melden Sie sich anders an, oder fragen Sie uns.',
  'signIn.error.addressTakenUnproven':
    'Die E-Mail-Adresse dieses Kontos wird hier schon verwendet. Wenn es Ihre ist, melden Sie sich so an wie bisher oder mit einem Link, den wir Ihnen senden. Danach können Sie {provider} verbinden.',
  'passkey.waiting': 'Wir warten auf Ihren Passkey…',
  'passkey.signedIn': 'Sie sind angemeldet. Einen Moment…',
  'passkey.error.failed':
    'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal, oder melden Sie sich auf andere Weise an.',
  'passkey.error.offline':
    'Wir sind gerade nicht erreichbar. Prüfen Sie Ihre Verbindung, und versuchen Sie es noch einmal.',
  'passkey.error.server': 'Bei uns ist etwas schiefgegangen. Bitte versuchen Sie es später noch einmal.',
  'passkey.error.accessDenied': 'Das hat geklappt, aber dieses Konto hat hier keinen Zugang.',
  'passkey.error.accountNotLinked':
    'Mit dieser E-Mail-Adresse gibt es schon ein Konto. Melden Sie sich so an wie bisher.',
  'passkey.error.alreadyRegistered':
    'Auf diesem Gerät haben Sie schon einen Passkey. Verwenden Sie ihn, um sich anzumelden.',
  'passkey.error.cancelled':
    'Das wurde abgebrochen, oder auf diesem Gerät gibt es keinen Passkey für diese Website. Sie können es noch einmal versuchen.',
  'passkey.error.notCreated':
    'Das wurde abgebrochen, und es wurde kein Passkey erstellt. Sie können es noch einmal versuchen.',
  'passkey.error.noAuthenticator':
    'Das kann dieses Gerät nicht. Verwenden Sie ein anderes Gerät oder einen Sicherheitsschlüssel.',
  'passkey.error.notAllowed': 'Ihr Browser erlaubt auf dieser Seite keine Passkeys.',
  'passkey.error.notVerified':
    'Wir kennen diesen Passkey nicht oder konnten ihn nicht prüfen. Verwenden Sie einen anderen Passkey, oder melden Sie sich auf andere Weise an.',
  'passkey.error.refused':
    'Für diese Adresse können wir kein Konto anlegen. Wenn Sie schon ein Konto haben, melden Sie sich so an wie bisher.',
  'passkey.error.recent':
    'Ihre Anmeldung liegt schon eine Weile zurück. Bitte melden Sie sich noch einmal an, und fügen Sie dann den Passkey hinzu.',
  'passkey.error.sessionChanged':
    'In diesem Browser haben inzwischen Sie oder jemand anderes sich an- oder abgemeldet. Bitte laden Sie die Seite neu.',
  'passkey.error.timedOut': 'Das hat zu lange gedauert. Bitte versuchen Sie es noch einmal.',
  'passkey.error.unsupported': 'Dieser Browser unterstützt keine Passkeys.',
  'verifyRequest.title': 'Sehen Sie in Ihren E-Mails nach',
  'verifyRequest.lead':
    'Wir haben Ihnen einen Link gesendet, mit dem Sie sich anmelden. Öffnen Sie ihn in diesem Browser, um sofort angemeldet zu sein.',
  'verifyRequest.leadTo':
    'Wir haben einen Link an {address} gesendet. Öffnen Sie ihn in diesem Browser, um sofort angemeldet zu sein.',
  'verifyRequest.leadAgain':
    'Wir haben noch einen Link an {address} gesendet. Öffnen Sie den neuesten in diesem Browser, um sofort angemeldet zu sein.',
  'verifyRequest.lifetime': 'Der Link funktioniert einmal. Gültigkeit: {lifetime}.',
  'verifyRequest.wait': 'Es kann ein bis zwei Minuten dauern, bis er ankommt.',
  'verifyRequest.junk': 'Wenn nichts ankommt, sehen Sie bitte auch im Spam-Ordner nach.',
  'verifyRequest.again': 'Noch einen Link senden',
  'verifyRequest.other': 'Andere Adresse verwenden',
  'confirm.title': 'Sind Sie das?',
  'confirm.lead': 'Sie sind dabei, sich bei {site} anzumelden.',
  'confirm.leadAs': 'Sie sind dabei, sich bei {site} als {user} anzumelden.',
  'confirm.submit': 'Anmelden',
  'confirm.hint': 'Wenn Sie das nicht wollten, schließen Sie diese Seite. Dann passiert nichts.',
  'link.title': '{provider} verbinden',
  'link.titlePermission': 'Zustimmung bei {provider}',
  'link.titleSignIn': 'Bei {provider} anmelden',
  'link.lead': 'Sie sind dabei, Ihr Konto bei {provider} mit Ihrem Konto bei {site} zu verbinden.',
  'link.leadPermission':
    '{provider} fragt noch einmal nach Ihrer Zustimmung. Ihr Konto bei {site} ist schon mit einem Konto dort verbunden.',
  'link.leadSignIn':
    'Sie sind dabei, sich noch einmal bei {provider} anzumelden, damit {site} Ihr Konto dort verwenden kann.',
  'link.user': 'Sie sind als {user} angemeldet.',
  'link.way': 'Wir leiten Sie zu {provider} weiter, und Sie kommen hierher zurück.',
  'link.afterwards': 'Danach können Sie sich auch mit {provider} anmelden.',
  'link.anotherAccount':
    'Wenn Sie dort ein anderes Konto wählen, wird es auch verbunden. Danach können Sie sich auch damit anmelden.',
  'link.scope': 'Wir bitten {provider} um weitere Berechtigungen:',
  'link.submit': '{provider} verbinden',
  'link.submitContinue': 'Weiter zu {provider}',
  'link.back': 'Nicht jetzt',
  'link.error.general':
    'Das Konto konnte nicht verbunden werden. Es hat sich nichts geändert. Sie können es noch einmal versuchen.',
  'link.error.csrf':
    'Diese Seite war zu lange geöffnet, oder Ihr Browser behält unsere Cookies nicht. Bitte drücken Sie die Schaltfläche noch einmal.',
  'link.error.cancelled':
    'Das wurde abgebrochen, hat zu lange gedauert oder wurde schon verwendet. Es hat sich nichts geändert. Sie können es noch einmal versuchen.',
  'link.error.ofAnotherUser':
    'Dieses Konto gehört hier zu einer anderen Person und wurde deshalb nicht verbunden. Es hat sich nichts geändert. Um ein anderes Konto zu verbinden, drücken Sie die Schaltfläche. Dann fragt {provider}, welches Konto es sein soll.',
  'link.error.ofAnotherUserSignOut':
    'Dieses Konto gehört hier zu einer anderen Person und wurde deshalb nicht verbunden. Es hat sich nichts geändert. Um ein anderes Konto zu verbinden, melden Sie sich zuerst bei {provider} ab. Drücken Sie dann die Schaltfläche.',
  'signOut.title': 'Abmelden',
  'signOut.lead': 'Sie sind dabei, sich auf diesem Gerät von {site} abzumelden.',
  'signOut.also': 'Auch von {provider} abmelden',
  'signOut.alsoSure': 'Sie werden auch von {provider} abgemeldet.',
  'signOut.submit': 'Abmelden',
  'signOut.stay': 'Angemeldet bleiben',
  'signOut.error.csrf':
    'Sie sind noch angemeldet: Die Seite war zu lange geöffnet, oder Ihr Browser behält unsere Cookies nicht. Bitte drücken Sie die Schaltfläche noch einmal.',
  'signedOut.title': 'Sie sind abgemeldet',
  'signedOut.lead': 'In diesem Browser ist niemand bei {site} angemeldet.',
  'signedOut.signIn': 'Anmelden',
  'providerLogout.title': 'Von {provider} abmelden',
  'providerLogout.lead': 'Hier sind Sie abgemeldet. Fahren Sie fort, um sich auch von {provider} abzumelden.',
  'providerLogout.submit': 'Weiter',
  'providerLogout.stay': 'Dort angemeldet bleiben',
  'error.status': 'Fehler {status}',
  'error.toSignIn': 'Zur Anmeldung',
  'error.startAgain': 'Neu beginnen',
  'error.tryAgain': 'Noch einmal versuchen',
  'error.goBack': 'Zurück',
  'error.otherAccount': 'Mit anderem Konto anmelden',
  'error.sendLink': 'Neuen Link senden',
  'error.continue': 'Weiter',
  'error.home': 'Zur Startseite',
  'error.log': 'Für Entwickler: Den Grund nennt das Protokoll des Servers.',
  'error.general.title': 'Etwas ist schiefgegangen',
  'error.general.text': 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
  'error.accessDenied.title': 'Kein Zugang',
  'error.accessDenied.text':
    'Sie haben sich angemeldet, aber dieses Konto hat hier keinen Zugang. Wenn Sie ein anderes Konto haben, versuchen Sie es damit.',
  'error.accessDenied.textId': 'Ihre Kennung dort ist zu lang oder hat ungewöhnliche Zeichen. Bitte fragen Sie uns.',
  'error.configuration.title': 'Ein Problem bei uns',
  'error.configuration.text':
    'Etwas ist falsch eingerichtet, und wir konnten Ihre Anfrage nicht ausführen. Bitte versuchen Sie es später noch einmal.',
  'error.unavailable.title': 'Einen Moment bitte',
  'error.unavailable.text':
    'Ein Teil unseres Dienstes antwortet gerade nicht. Es ist nichts verloren. Bitte versuchen Sie es gleich noch einmal.',
  'error.sessionUnavailable.title': 'Einen Moment bitte',
  'error.sessionUnavailable.text':
    'Wir können gerade nicht prüfen, ob Sie angemeldet sind. Es ist nichts verloren. Bitte versuchen Sie es gleich noch einmal.',
  'error.signOut.title': 'In diesem Browser abgemeldet',
  'error.signOut.text':
    'Sie sind in diesem Browser abgemeldet und müssen nichts weiter tun. Bei uns kann Ihre Sitzung noch eine Weile offen sein. Das ist nur wichtig, wenn jemand eine Kopie davon hat. Wenn Sie das vermuten, sagen Sie es uns bitte.',
  'error.emailNotConfirmed.title': 'Diese Adresse ist nicht bestätigt',
  'error.emailNotConfirmed.text':
    'Jemand hat sich hier mit dieser E-Mail-Adresse auf andere Weise registriert und sie nie bestätigt. Wenn Sie das waren, melden Sie sich wieder so an. Wenn nicht, sagen Sie es bitte den Betreibern dieser Website. Der Link ist verbraucht.',
  'error.verification.title': 'Dieser Link funktioniert nicht mehr',
  'error.verification.text':
    'Er wurde schon verwendet oder ist abgelaufen. Melden Sie sich noch einmal an, um einen neuen Link zu erhalten.',
  'error.verification.textSend':
    'Er wurde schon verwendet oder ist abgelaufen. Wir können einen neuen Link an {address} senden.',
  'error.verification.textSignedIn':
    'Er wurde schon verwendet oder ist abgelaufen. Sie sind schon angemeldet und brauchen ihn nicht.',
  'error.passkey.title': 'Ihr Passkey wurde nicht angenommen',
  'error.passkey.text':
    'Wir konnten ihn nicht prüfen. Bitte versuchen Sie es noch einmal, oder melden Sie sich auf andere Weise an.',
  'error.notAllowed.title': 'Kein Zugang zu dieser Seite',
  'error.notAllowed.text':
    'Sie sind angemeldet, aber Ihr Konto darf diese Seite nicht öffnen. Wenn Sie ein anderes Konto haben, melden Sie sich damit an.',
  'refusal.general.title': 'Das haben wir nicht verstanden',
  'refusal.general.text': 'Die Anfrage war unvollständig oder beschädigt. Bitte beginnen Sie noch einmal.',
  'refusal.notFound.title': 'Hier ist nichts',
  'refusal.notFound.text': 'Unter dieser Adresse gibt es keine Seite. Bitte prüfen Sie die Adresse auf Fehler.',
  'refusal.method.title': 'Das geht hier nicht',
  'refusal.method.text': 'Diese Adresse kann so nicht verwendet werden. Bitte beginnen Sie noch einmal.',
  'refusal.lastWay.title': 'Ihre einzige Möglichkeit, sich anzumelden',
  'refusal.lastWay.text':
    'Ohne sie könnten Sie sich nicht mehr anmelden. Deshalb wurde sie nicht entfernt. Fügen Sie zuerst eine andere hinzu.',
  'refusal.tooLarge.title': 'Zu groß',
  'refusal.tooLarge.text':
    'Ihre Anfrage ist größer als erlaubt. Bitte kürzen Sie sie, und versuchen Sie es noch einmal.',
  'refusal.format.title': 'Unbekanntes Format',
  'refusal.format.text':
    'Ihre Anfrage hat ein Format, das wir nicht lesen können. Bitte verwenden Sie das Formular auf dieser Website.',
  'refusal.form.title': 'Bitte noch einmal versuchen',
  'refusal.form.text':
    'Die Seite war zu lange geöffnet, oder Ihr Browser behält unsere Cookies nicht. Es hat sich nichts geändert. Gehen Sie zurück, und drücken Sie die Schaltfläche noch einmal.',
  'refusal.signedOut.title': 'Sie sind abgemeldet',
  'refusal.signedOut.text':
    'Sie haben sich inzwischen in diesem Browser abgemeldet, oder Ihre Sitzung ist beendet. Es hat sich nichts geändert. Melden Sie sich wieder an, und drücken Sie dann die Schaltfläche noch einmal.',
  'refusal.gone.title': 'Nicht gefunden',
  'refusal.gone.text': 'Vielleicht wurde es schon entfernt. Gehen Sie zurück, um zu sehen, was jetzt da ist.',
  'site.unknown': 'dieser Website',
  'mail.signIn.subject': 'Anmelden bei {site}',
  'mail.signIn.preview': 'Ihr Link funktioniert {lifetime} lang.',
  'mail.signIn.lead':
    'Jemand, vermutlich Sie, hat diesen Link angefordert. Er funktioniert einmal. Gültigkeit: {lifetime}.',
  'mail.signIn.open': 'Öffnen Sie diesen Link in Ihrem Browser:',
  'mail.signIn.button': 'Anmelden',
  'mail.signIn.copy': 'Wenn die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse in Ihren Browser:',
  'mail.signIn.ignore':
    'Wenn Sie ihn nicht angefordert haben, können Sie diese Nachricht ignorieren. Ohne den Link kann sich niemand anmelden.',
  'mail.notice.subject': '{title}: {site}',
  'mail.notice.added': 'Neue Möglichkeit zur Anmeldung',
  'mail.notice.removed': 'Eine Möglichkeit zur Anmeldung wurde entfernt',
  'mail.notice.accountLinked':
    '{provider} wurde mit Ihrem Konto bei {site} verbunden. Sie können sich jetzt damit anmelden.',
  'mail.notice.accountUnlinked':
    '{provider} wurde von Ihrem Konto bei {site} getrennt. Sie können sich nicht mehr damit anmelden.',
  'mail.notice.passkeyAdded':
    'Zu Ihrem Konto bei {site} wurde ein Passkey hinzugefügt. Sie können sich jetzt damit anmelden.',
  'mail.notice.passkeyRemoved':
    'Von Ihrem Konto bei {site} wurde ein Passkey entfernt. Sie können sich nicht mehr damit anmelden.',
  'mail.notice.unknownProvider': 'Ein Anbieter',
  'mail.notice.advice':
    'Wenn Sie das nicht waren, melden Sie sich an, beenden Sie alle anderen Sitzungen, und sagen Sie es den Betreibern dieser Website.',
}

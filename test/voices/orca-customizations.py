# Orca loads this file from its folder of user data. It writes what Orca would speak into a file, one JSON text a line, because
# the machine of a test has no synthesizer.
import json
import os

import orca.settings as settings
import orca.speech as speech

settings.enableSpeech = True
settings.enableBraille = False
settings.enableBrailleMonitor = False
settings.enableSound = False
settings.enableEchoByWord = False
settings.enableKeyEcho = False

log = open(os.environ["SPEECH_LOG"], "a", buffering=1)


def write(text, *_):
    log.write(json.dumps(text) + "\n")


speech._speak = write
speech.speakCharacter = write
speech.stop = lambda: None

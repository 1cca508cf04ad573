package io.viaduct.webgui;

import io.viaduct.fuzzing.CorpusReplay;

class FuzzCorpusTest extends CorpusReplay {}

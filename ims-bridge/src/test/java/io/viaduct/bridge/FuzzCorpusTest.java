package io.viaduct.bridge;

import io.viaduct.fuzzing.CorpusReplay;

class FuzzCorpusTest extends CorpusReplay {}

package io.viaduct.snapt;

import io.viaduct.fuzzing.CorpusReplay;

class FuzzCorpusTest extends CorpusReplay {}

/// Shared history: the plain text that both ends keep, and the zstd dictionaries that are made of
/// it (docs/protocol.md section 3.4). `HistoryMemory` belongs to an event loop, `SendHistory` and
/// `ReceiveHistory` to a session.
@NullMarked
package io.viaduct.tunnel.dictionary;

import org.jspecify.annotations.NullMarked;

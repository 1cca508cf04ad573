package io.viaduct.cnapt.peer;

import io.netty.buffer.ByteBuf;
import java.util.List;

/// Receives the events of a [PeerServer]; called on its event loop.
public interface PeerListener {
  /// Called when the other end has proved its key. For a new session the data path must change
  /// keys.
  void accepted(Accepted by);

  /// Called when the control connection is lost. The data path continues, and the other end
  /// connects again.
  void lost(String why);

  /// Called for sealed datagrams that arrived in the control connection.
  ///
  /// @param datagrams direct buffers; the listener releases them
  /// @param taken run, on any thread, after the listener has released them
  void datagrams(List<ByteBuf> datagrams, Runnable taken);
}

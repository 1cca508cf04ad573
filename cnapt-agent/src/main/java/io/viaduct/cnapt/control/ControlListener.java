package io.viaduct.cnapt.control;

import io.netty.buffer.ByteBuf;
import java.util.List;

/// What the control connection tells; called on its event loop.
public interface ControlListener {
  /// A SNAPT has welcomed us. With a new session the data path must change keys; a resumed one goes
  /// on as it was.
  void welcomed(Welcomed welcomed);

  /// There is no control connection at this moment; the client goes on trying. The data path, if
  /// there is one, is not concerned.
  void lost(ControlFailure why, String detail);

  /// The token was refused: only another one can help.
  void tokenRefused(String detail);

  /// A newer token was accepted.
  void tokenAccepted(long expiresMs);

  /// The list of SNAPTs has changed.
  void relays(List<Snapt> relays);

  /// Sealed datagrams have come by the control connection.
  ///
  /// @param datagrams direct; the listener releases them
  /// @param taken run on any thread when it has; until then the connection reads no more than a
  ///   bounded number of bytes
  void datagrams(List<ByteBuf> datagrams, Runnable taken);
}

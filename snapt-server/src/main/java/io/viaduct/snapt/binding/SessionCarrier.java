package io.viaduct.snapt.binding;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.control.ControlLine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The registry's interface to the data path. Called by the control thread; must not block.
public interface SessionCarrier {
  /// Returns the number of event loops that carry sessions, a power of two.
  int loops();

  /// Starts to carry a session, on the loop that its receiver index selects.
  void carry(Session session);

  /// Runs something once the session's datagrams are accepted, or the session has ended.
  ///
  /// @param then run on any thread
  void onceCarried(Session session, Runnable then);

  /// Sets the control connection that owns the session now, or null if there is none. It may carry
  /// the session's datagrams while UDP is blocked.
  void control(Session session, ControlLine.@Nullable Connection connection);

  /// Accepts datagrams that arrived in the control connection.
  ///
  /// @param datagrams direct buffers; the carrier releases them
  /// @param taken run, on any thread, after the carrier has processed them
  void datagrams(Session session, List<ByteBuf> datagrams, Runnable taken);

  /// Ends a session: makes its last report and wipes its keys.
  void end(Session session);
}

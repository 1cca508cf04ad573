package io.viaduct.billing.radius;

import io.viaduct.radius.server.AccountingServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The RADIUS sockets of this billing, if the configuration has some, and what uses them.
public final class RadiusEndpoint implements AutoCloseable {
  private final List<AutoCloseable> parts = new ArrayList<>();
  private Optional<AccountingServer> server = Optional.empty();

  RadiusEndpoint() {}

  /// Adds a part; parts are closed in the reverse order.
  <T extends AutoCloseable> T add(T part) {
    parts.add(part);
    return part;
  }

  void listens(AccountingServer listener) {
    server = Optional.of(add(listener));
  }

  /// Returns the UDP port of the listener, or 0 if there is none.
  public int port() {
    return server.map(AccountingServer::port).orElse(0);
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable part : parts.reversed()) {
      part.close();
    }
  }
}

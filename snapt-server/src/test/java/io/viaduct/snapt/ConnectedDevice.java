package io.viaduct.snapt;

import static org.awaitility.Awaitility.await;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Welcome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.KeyPair;

/// A device with a session of a [TestSnapt]: its control connection and its tunnel.
public final class ConnectedDevice implements AutoCloseable {
  public final KeyPair key = Ed25519.generate();
  public final TestControl control;
  public final Welcome welcome;
  public final TestTunnel tunnel;

  public ConnectedDevice(
      TestSnapt snapt, TestOperator operator, String account, Feature... features)
      throws Exception {
    control = new TestControl(snapt.controlAddress, operator.trust());
    var token = operator.sign(TestOperator.token(account, key).build());
    control.send(control.hello(token, key).addAllFeatures(java.util.List.of(features)).build());
    welcome = control.next().getWelcome();
    tunnel =
        new TestTunnel(
            welcome,
            snapt.dataAddress,
            new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
    await()
        .until(() ->
            snapt.relay.status().get().stream()
                .anyMatch(session ->
                    session.session().equals(welcome.getSessionId())
                        && !session.binding().isEmpty()));
  }

  @Override
  public void close() {
    tunnel.close();
    control.close();
  }
}

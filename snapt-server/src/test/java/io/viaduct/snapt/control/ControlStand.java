package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A SNAPT and the devices that connect to it, over real TLS.
final class ControlStand implements AutoCloseable {
  final TestSnapt snapt;
  private final TestOperator operator;
  private final List<TestControl> connections = new ArrayList<>();

  /// @param perAddressMax most connections of one address
  ControlStand(TestOperator operator, Path folder, int perAddressMax) throws Exception {
    this.operator = operator;
    snapt =
        new TestSnapt(
            operator, folder, 1, Duration.ofSeconds(30), perAddressMax, Duration.ofMinutes(1));
  }

  TestControl connect() throws Exception {
    TestControl control = new TestControl(snapt.controlAddress, operator.trust());
    connections.add(control);
    return control;
  }

  /// Connects, and sends a valid Hello.
  TestControl hello(String account, KeyPair device) throws Exception {
    TestControl control = connect();
    control.send(control.hello(token(account, device), device).build());
    return control;
  }

  ByteString token(String account, KeyPair device) {
    return operator.sign(TestOperator.token(account, device).build());
  }

  @Override
  public void close() {
    connections.forEach(TestControl::close);
    snapt.close();
  }
}

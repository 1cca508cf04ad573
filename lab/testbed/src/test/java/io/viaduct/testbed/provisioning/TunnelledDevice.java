package io.viaduct.testbed.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.TestTunnel;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.SignedReceipt;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Base64;

/// A device with a token: it has a session at a SNAPT, sends packets to the Internet through it,
/// and signs the receipts of its intervals.
final class TunnelledDevice implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(45);

  private final TestSnapt snapt;
  private final KeyPair key;
  private final TestControl control;
  private final Welcome welcome;
  private final TestTunnel tunnel;

  private TunnelledDevice(TestSnapt snapt, KeyPair key, TestControl control, Welcome welcome)
      throws Exception {
    this.snapt = snapt;
    this.key = key;
    this.control = control;
    this.welcome = welcome;
    tunnel =
        new TestTunnel(
            welcome, snapt.dataAddress, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /// Opens a session, and repeats that until the SNAPT knows the bridge's keys.
  ///
  /// @param trust of the SNAPT's control port
  /// @param token as the bridge granted it
  static TunnelledDevice connect(TestSnapt snapt, Path trust, KeyPair key, String token)
      throws Exception {
    ByteString octets = ByteString.copyFrom(Base64.getUrlDecoder().decode(token));
    long beganNs = System.nanoTime();
    while (true) {
      TestControl control = new TestControl(snapt.controlAddress, trust);
      control.send(control.hello(octets, key).addFeatures(Feature.RECEIPTS).build());
      ControlMessage answer = control.next();
      if (answer != null && answer.hasWelcome()) {
        TunnelledDevice device = new TunnelledDevice(snapt, key, control, answer.getWelcome());
        await().atMost(PATIENCE).until(() -> !snapt.onlySession().binding().isEmpty());
        return device;
      }
      control.close();
      assertThat(System.nanoTime() - beganNs)
          .as("no Welcome: %s", answer)
          .isLessThan(PATIENCE.toNanos());
    }
  }

  /// Sends packets, each of which reaches the Internet.
  void carry(int packets) throws Exception {
    for (int i = 0; i < packets; i++) {
      tunnel.send(PacketText.up());
      assertThat(snapt.nextOut()).as("packet %d", i).isNotNull();
    }
  }

  /// Waits for the end of an interval, and signs its bytes.
  void signReceipt() throws Exception {
    ControlMessage next;
    do {
      next = control.next();
      assertThat(next).as("the end of an interval").isNotNull();
    } while (!next.hasIntervalBoundary());
    ByteString signed = receipt(next.getIntervalBoundary()).toByteString();
    control.send(
        ControlMessage.newBuilder()
            .setReceiptAnswer(ReceiptAnswer.newBuilder().setSignedReceipt(signed))
            .build());
  }

  private SignedReceipt receipt(IntervalBoundary of) {
    ByteString receipt =
        Receipt.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId(welcome.getSessionId())
            .setEpoch(of.getEpoch())
            .setSequence(of.getSequence())
            .setStartMs(of.getStartMs())
            .setEndMs(of.getEndMs())
            .setUpBytes(of.getUpBytes())
            .setDownBytes(of.getDownBytes())
            .build()
            .toByteString();
    return SignedReceipt.newBuilder()
        .setReceipt(receipt)
        .setSignature(SignedMessage.RECEIPT.sign(key.getPrivate(), receipt))
        .build();
  }

  @Override
  public void close() {
    tunnel.close();
    control.close();
  }
}

package io.viaduct.bridge.registrar;

import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Verdict;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A UDP socket with its own address in 127.0.0.0/8: an attacker or a user.
final class SipProbe implements AutoCloseable {
  private static final MessageGuard GUARD = new MessageGuard(GuardLimits.STANDARD);

  private final DatagramSocket socket;
  private final InetSocketAddress bridge;
  private int requests;

  SipProbe(String address, int bridgePort) throws IOException {
    socket = new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
    socket.setSoTimeout(20_000);
    bridge = new InetSocketAddress(InetAddress.getLoopbackAddress(), bridgePort);
  }

  /// Returns a REGISTER for a user of ims.test. Branch and CSeq differ from those of all other
  /// requests of this socket.
  SipRequest register(String user) {
    int number = ++requests;
    return new SipRequest(
        "REGISTER",
        "sip:ims.test",
        SipHeaders.NONE
            .with(
                "Via",
                "SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK%d-%d;rport"
                    .formatted(socket.getLocalPort(), number))
            .with("From", "<sip:" + user + "@ims.test>;tag=1")
            .with("To", "<sip:" + user + "@ims.test>")
            .with("Call-ID", socket.getLocalPort() + "@probe")
            .with("CSeq", number + " REGISTER")
            .with("Contact", "<sip:" + user + "@192.0.2.1>")
            .with("User-Agent", "viaduct")
            .with("Max-Forwards", "70"));
  }

  /// Sends a request and returns its answer.
  SipResponse ask(SipRequest request) throws IOException {
    byte[] answer = ask(request.encode());
    if (GUARD.datagram(answer) instanceof Verdict.Accepted(SipResponse response)) {
      return response;
    }
    throw new AssertionError("no response: " + new String(answer, StandardCharsets.UTF_8));
  }

  byte[] ask(byte[] request) throws IOException {
    socket.send(new DatagramPacket(request, request.length, bridge));
    byte[] buffer = new byte[65_536];
    DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
    socket.receive(packet);
    return Arrays.copyOf(buffer, packet.getLength());
  }

  /// Requests a nonce for a client.
  void challenge(DigestClient client) throws IOException {
    if (!client.acceptChallenge(ask(register("alice")))) {
      throw new AssertionError("no challenge");
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}

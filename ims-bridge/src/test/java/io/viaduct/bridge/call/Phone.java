package io.viaduct.bridge.call;

import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Verdict;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// A user agent of a test: a UDP socket that sends and answers only what the test says. Equal
/// messages are kept once, because the bridge repeats some when the machine is slow.
final class Phone implements AutoCloseable {
  private static final MessageGuard GUARD = new MessageGuard(GuardLimits.STANDARD);
  private static final long PATIENCE_NS = 20_000_000_000L;

  final String user;
  private final DatagramSocket socket;
  private volatile InetSocketAddress bridge;
  private final DigestClient digest;
  private final Map<SipMessage, Integer> arrived = new LinkedHashMap<>(); // guarded by this
  private final Set<SipMessage> taken = new HashSet<>();
  private int sent;

  Phone(String user, int bridgePort) throws IOException {
    this.user = user;
    bridge = new InetSocketAddress(InetAddress.getLoopbackAddress(), bridgePort);
    socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    digest = new DigestClient(user, user + "-secret", Set.of(DigestAlgorithm.SHA_256));
    Thread.ofVirtual().start(this::receive);
  }

  /// Sends to another bridge from now on.
  void use(int bridgePort) {
    bridge = new InetSocketAddress(InetAddress.getLoopbackAddress(), bridgePort);
  }

  private void receive() {
    byte[] buffer = new byte[65_536];
    try {
      while (true) {
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        socket.receive(packet);
        if (GUARD.datagram(Arrays.copyOf(buffer, packet.getLength()))
            instanceof Verdict.Accepted(SipMessage message)) {
          synchronized (this) {
            arrived.merge(message, 1, Integer::sum);
            notifyAll();
          }
        }
      }
    } catch (SocketException _) {
      // closed
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  String contact() {
    return "sip:%s@127.0.0.1:%d".formatted(user, socket.getLocalPort());
  }

  /// Returns a new topmost Via.
  String via() {
    return "SIP/2.0/UDP 127.0.0.1:%d;branch=z9hG4bK%d-%d;rport"
        .formatted(socket.getLocalPort(), socket.getLocalPort(), ++sent);
  }

  void send(SipMessage message) throws IOException {
    byte[] bytes = message.encode();
    socket.send(new DatagramPacket(bytes, bytes.length, bridge));
  }

  /// Sends a request again with credentials for the challenge that has come.
  ///
  /// @return the request that was sent
  SipRequest sendWithCredentials(SipRequest request, SipResponse challenge) throws IOException {
    digest.acceptChallenge(challenge);
    SipRequest next =
        request.withHeaders(
            request
                .headers()
                .replaceFirst("Via", via())
                .replaceFirst("CSeq", request.cseq().number() + 1 + " " + request.method()));
    SipRequest authorized = digest.authorize(next);
    send(authorized);
    return authorized;
  }

  /// Registers this phone; removes it with an expiry of 0.
  void register(String parameters, int expires) throws Exception {
    register(parameters, expires, contact());
  }

  /// Registers a contact that need not be the address of this phone.
  ///
  /// @return the bridge's answer
  SipResponse register(String parameters, int expires, String contact) throws Exception {
    SipRequest register =
        new SipRequest(
            "REGISTER",
            "sip:ims.test",
            SipHeaders.NONE
                .with("Via", via())
                .with("Max-Forwards", "70")
                .with("User-Agent", "viaduct")
                .with("Supported", "outbound, gruu")
                .with("From", "<sip:%s@ims.test>;tag=r".formatted(user))
                .with("To", "<sip:%s@ims.test>".formatted(user))
                .with("Call-ID", "register-" + socket.getLocalPort())
                .with("CSeq", 100 + 2 * sent + " REGISTER")
                .with("Contact", "<%s>%s".formatted(contact, parameters))
                .with("Expires", Integer.toString(expires)));
    send(register);
    sendWithCredentials(register, response("REGISTER", 401));
    return response("REGISTER", 200);
  }

  /// Takes the next request of a method that has come.
  SipRequest request(String method) throws InterruptedException {
    return (SipRequest) take(m -> m instanceof SipRequest r && r.method().equals(method), method);
  }

  /// Takes the next response to a method with a status.
  SipResponse response(String method, int status) throws InterruptedException {
    return (SipResponse)
        take(
            m -> m instanceof SipResponse r && r.status() == status && r.method().equals(method),
            status + " to " + method);
  }

  private synchronized SipMessage take(Predicate<SipMessage> wanted, String what)
      throws InterruptedException {
    long endNs = System.nanoTime() + PATIENCE_NS;
    while (true) {
      for (SipMessage message : arrived.keySet()) {
        if (wanted.test(message) && !taken.contains(message)) {
          taken.add(message);
          return message;
        }
      }
      long leftMs = (endNs - System.nanoTime()) / 1_000_000;
      if (leftMs <= 0) {
        throw new AssertionError(user + " has no " + what + "; there came " + arrived.keySet());
      }
      wait(leftMs);
    }
  }

  /// Returns how often a message has come.
  synchronized int count(SipMessage message) {
    return arrived.getOrDefault(message, 0);
  }

  /// Returns whether a message has come that the test has not taken.
  synchronized Optional<SipMessage> any(Predicate<SipMessage> wanted) {
    return arrived.keySet().stream().filter(m -> !taken.contains(m) && wanted.test(m)).findFirst();
  }

  /// Answers a request.
  ///
  /// @param headers names and values in turn
  SipResponse answer(SipRequest request, int status, String... headers) throws IOException {
    SipResponse response = SipResponse.to(request, status);
    for (String route : request.headers().all("Record-Route")) {
      response = response.with("Record-Route", route);
    }
    response = response.with("Contact", "<" + contact() + ">");
    for (int i = 0; i < headers.length; i += 2) {
      response = response.with(headers[i], headers[i + 1]);
    }
    SipResponse tagged = status == 100 ? response : response.withToTag("t" + socket.getLocalPort());
    send(tagged);
    return tagged;
  }

  @Override
  public void close() throws Exception {
    try {
      register("", 0);
    } finally {
      socket.close();
    }
  }
}

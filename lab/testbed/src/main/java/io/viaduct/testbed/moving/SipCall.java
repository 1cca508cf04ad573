package io.viaduct.testbed.moving;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// A call from the device to a host of the Internet: a dialog of SIP over UDP (RFC 3261), and a
/// stream like RTP in both directions, from the ports that the SDP names. The host answers to the
/// addresses from which it hears, as symmetric RTP does (RFC 4961), so it notices another public
/// address of the device.
///
/// ```
/// device ──INVITE──▶ host      ──RTP 50/s──▶      ──OPTIONS──▶      ◀──BYE──
///        ◀──200────            ◀──RTP 50/s──      ◀──200──────      ──200──▶
/// ```
final class SipCall {
  private static final int RTP_BYTES = 172;
  private static final int PATIENCE_MS = 500; // T1 of RFC 3261: then a request is sent again
  private static final int TRIES_MAX = 20;
  private static final long PACKET_NS = 20_000_000;

  private final DatagramSocket signalling;
  private final DatagramSocket media;
  private final DatagramSocket hostSignalling;
  private final DatagramSocket hostMedia;
  private final AtomicBoolean going = new AtomicBoolean(true);
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong returned = new AtomicLong();
  private final AtomicLong lastNs = new AtomicLong();
  private final AtomicLong gapNs = new AtomicLong();
  private volatile SocketAddress invitedFrom = new InetSocketAddress(0);
  private volatile SocketAddress askedFrom = new InetSocketAddress(0);

  /// The observations of the two ends.
  ///
  /// @param sameAddress whether the host has heard the last request from the address of the first
  /// @param byeAnswered whether the device was reached there, by a request of the host
  /// @param lost packets like RTP that have not come back
  /// @param gapMs longest time without one of them
  record Seen(boolean sameAddress, boolean byeAnswered, long lost, double gapMs) {}

  private SipCall(NetworkNamespace device, NetworkNamespace host, String address) {
    signalling = device.call(() -> new DatagramSocket(0));
    media = device.call(() -> new DatagramSocket(0));
    hostSignalling = host.call(() -> new DatagramSocket(0, InetAddress.getByName(address)));
    hostMedia = host.call(() -> new DatagramSocket(0, InetAddress.getByName(address)));
  }

  /// Sets the call up, and begins to talk.
  ///
  /// @throws IOException if the host does not answer the INVITE
  static SipCall start(NetworkNamespace device, NetworkNamespace host, String address)
      throws IOException {
    SipCall call = new SipCall(device, host, address);
    call.begin("host-signalling", call::serve);
    call.begin("host-media", call::echo);
    call.signalling.setSoTimeout(PATIENCE_MS);
    String answer = call.ask("INVITE", 1);
    int port = port(answer);
    call.signalling.send(call.packet(call.request("ACK", 1), call.hostSignalling));
    call.lastNs.set(System.nanoTime());
    call.begin("media-in", call::hear);
    call.begin("media-out", () -> call.talk(new InetSocketAddress(address, port)));
    return call;
  }

  private interface Work {
    void run() throws Exception;
  }

  private void begin(String name, Work work) {
    Thread.ofPlatform()
        .daemon()
        .name(name)
        .start(() -> {
          try {
            work.run();
          } catch (SocketException _) {
            // the call is over
          } catch (Exception e) {
            System.out.println("the call broke: " + e);
          }
        });
  }

  /// Ends the call: the device asks for the host's abilities, then the host hangs up.
  Seen end() throws Exception {
    boolean answered = ask("OPTIONS", 2).startsWith("SIP/2.0 200");
    going.set(false);
    boolean same = answered && askedFrom.equals(invitedFrom);
    boolean bye = hangUp();
    Thread.sleep(Duration.ofMillis(PATIENCE_MS)); // the last packets return
    long lost = sent.get() - returned.get();
    for (DatagramSocket each :
        new DatagramSocket[] {signalling, media, hostSignalling, hostMedia}) {
      each.close();
    }
    return new Seen(same, bye, lost, gapNs.get() / 1e6);
  }

  private boolean hangUp() throws IOException {
    for (int i = 0; i < TRIES_MAX; i++) {
      byte[] bye = request("BYE", 3).getBytes(StandardCharsets.UTF_8);
      hostSignalling.send(new DatagramPacket(bye, bye.length, invitedFrom));
      try {
        if (receive(signalling).text().startsWith("BYE ")) {
          signalling.send(packet(response("200 OK", "BYE", 3), hostSignalling));
          return true;
        }
      } catch (SocketTimeoutException _) {
        continue;
      }
    }
    return false;
  }

  // --- the device

  private String ask(String method, int number) throws IOException {
    for (int i = 0; i < TRIES_MAX; i++) {
      signalling.send(packet(request(method, number), hostSignalling));
      try {
        String answer = receive(signalling).text();
        if (answer.contains("CSeq: " + number + " ")) {
          return answer;
        }
      } catch (SocketTimeoutException _) {
        continue; // it is sent again
      }
    }
    throw new IOException("no answer to " + method);
  }

  private void talk(SocketAddress to) throws Exception {
    byte[] packet = new byte[RTP_BYTES];
    long dueNs = System.nanoTime();
    while (going.get()) {
      media.send(new DatagramPacket(packet, packet.length, to));
      sent.incrementAndGet();
      dueNs += PACKET_NS;
      Thread.sleep(Duration.ofNanos(Math.max(0, dueNs - System.nanoTime())));
    }
  }

  private void hear() throws IOException {
    while (true) {
      receive(media);
      long nowNs = System.nanoTime();
      long since = nowNs - lastNs.getAndSet(nowNs);
      gapNs.accumulateAndGet(since, Math::max);
      returned.incrementAndGet();
    }
  }

  // --- the host

  private void serve() throws IOException {
    while (true) {
      Received request = receive(hostSignalling);
      String method = request.text().substring(0, request.text().indexOf(' '));
      switch (method) {
        case "INVITE" -> invitedFrom = request.from();
        case "OPTIONS" -> askedFrom = request.from();
        default -> {
          continue; // ACK, and the answer to BYE
        }
      }
      byte[] answer =
          response("200 OK", method, method.equals("INVITE") ? 1 : 2)
              .getBytes(StandardCharsets.UTF_8);
      hostSignalling.send(new DatagramPacket(answer, answer.length, request.from()));
    }
  }

  private void echo() throws IOException {
    while (true) {
      Received packet = receive(hostMedia);
      byte[] back = new byte[RTP_BYTES];
      hostMedia.send(new DatagramPacket(back, back.length, packet.from()));
    }
  }

  // --- messages

  private record Received(String text, SocketAddress from) {}

  private static Received receive(DatagramSocket at) throws IOException {
    DatagramPacket packet = new DatagramPacket(new byte[2_000], 2_000);
    at.receive(packet);
    return new Received(
        new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8),
        packet.getSocketAddress());
  }

  private DatagramPacket packet(String text, DatagramSocket to) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new DatagramPacket(bytes, bytes.length, to.getLocalSocketAddress());
  }

  private String request(String method, int number) {
    return message("%s sip:host SIP/2.0".formatted(method), method, number, media);
  }

  private String response(String status, String method, int number) {
    return message("SIP/2.0 " + status, method, number, hostMedia);
  }

  private static String message(String first, String method, int number, DatagramSocket media) {
    String sdp =
        "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\nm=audio %d RTP/AVP 0\r\n"
            .formatted(media.getLocalPort());
    return """
    %s
    Via: SIP/2.0/UDP device;rport;branch=z9hG4bK%s%d
    From: <sip:alice@ims.test>;tag=a1
    To: <sip:host@ims.test>;tag=h1
    Call-ID: drain@device
    CSeq: %d %s
    Contact: <sip:alice@device>
    Max-Forwards: 70
    Content-Type: application/sdp
    Content-Length: %d

    """
            .formatted(first, method, number, number, method, sdp.length())
            .replace("\n", "\r\n")
        + sdp;
  }

  private static int port(String answer) throws IOException {
    int at = answer.indexOf("m=audio ");
    if (at < 0) {
      throw new IOException("no media in " + answer);
    }
    return Integer.parseInt(answer.substring(at + 8, answer.indexOf(' ', at + 8)));
  }
}

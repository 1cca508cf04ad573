package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// All messages of RFC 4475, byte for byte, sent to a bridge of example.com over UDP. The bridge
/// asks the sender of a sound INVITE for credentials, unless its dialog did not begin here.
@Timeout(120)
class TortureTest {
  // File, paragraph, answer. A response gets none: it is stray if it is sound, else dropped.
  private static final String TABLE =
      """
      wsinv       3.1.1.1   481
      intmeth     3.1.1.2   501
      esc01       3.1.1.3   407
      escnull     3.1.1.4   401
      esc02       3.1.1.5   501
      lwsdisp     3.1.1.6   200
      longreq     3.1.1.7   407
      dblreq      3.1.1.8   401
      semiuri     3.1.1.9   200
      transports  3.1.1.10  200
      mpart01     3.1.1.11  407
      unreason    3.1.1.12  stray_response
      noreason    3.1.1.13  stray_response
      badinv01    3.1.2.1   400
      clerr       3.1.2.2   400
      ncl         3.1.2.3   400
      scalar02    3.1.2.4   400
      scalarlg    3.1.2.5   malformed_cseq
      quotbal     3.1.2.6   400
      ltgtruri    3.1.2.7   400
      lwsruri     3.1.2.8   400
      lwsstart    3.1.2.9   400
      trws        3.1.2.10  400
      escruri     3.1.2.11  400
      baddate     3.1.2.12  407
      regbadct    3.1.2.13  400
      badaspec    3.1.2.14  400
      baddn       3.1.2.15  400
      badvers     3.1.2.16  505
      mismatch01  3.1.2.17  400
      mismatch02  3.1.2.18  400
      bigcode     3.1.2.19  malformed_start_line
      badbranch   3.2.1     200
      insuf       3.3.1     400
      unkscm      3.3.2     416
      novelsc     3.3.3     416
      unksm2      3.3.4     400
      bext01      3.3.5     420
      invut       3.3.6     407
      regaut01    3.3.7     401
      multi01     3.3.8     400
      mcl01       3.3.9     400
      bcast       3.3.10    stray_response
      zeromf      3.3.11    200
      cparam01    3.3.12    401
      cparam02    3.3.13    401
      regescrt    3.3.14    401
      sdp01       3.3.15    407
      inv2543     3.4.1     407
      """;

  private static final int SIP_PORT =
      5060; // the Vias without port, and so without rport, ask for it
  private static final int OTHER_PORT = 5050; // that of 3.1.2.6

  private static final int PATIENCE_MS = 20_000;

  @TempDir static Path directory;
  private static BridgeRig rig;
  private static Selector arrivals;
  private static DatagramChannel peer;
  private static DatagramChannel other;
  private static SocketAddress bridge;
  private static int sent;

  @BeforeAll
  static void start() throws Exception {
    rig = new BridgeRig(directory, 1, text -> text.replace("ims.test", "example.com"));
    bridge = new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.bridge.sipPort());
    arrivals = Selector.open();
    // An address of this test alone, because the ports are given.
    SplittableRandom random = new SplittableRandom();
    byte[] address = {127, octet(random), octet(random), octet(random)};
    peer = bound(address, SIP_PORT);
    other = bound(address, OTHER_PORT);
  }

  private static byte octet(SplittableRandom random) {
    return (byte) random.nextInt(1, 127);
  }

  private static DatagramChannel bound(byte[] address, int port) throws IOException {
    DatagramChannel opened = DatagramChannel.open();
    opened.bind(new InetSocketAddress(InetAddress.getByAddress(address), port));
    opened.configureBlocking(false).register(arrivals, SelectionKey.OP_READ);
    return opened;
  }

  @AfterAll
  static void stop() throws Exception {
    arrivals.close();
    peer.close();
    other.close();
    rig.close();
  }

  static Stream<Arguments> rows() {
    return TABLE.lines().map(line -> Arguments.of((Object[]) line.split(" +")));
  }

  @ParameterizedTest(name = "{0}, section {1}: {2}")
  @MethodSource("rows")
  void eachMessageHasTheAnswerThatTheRfcAsksFor(String file, String section, String expected)
      throws Exception {
    if (Character.isDigit(expected.charAt(0))) {
      peer.send(ByteBuffer.wrap(message(file)), bridge);
      assertThat(receive()).startsWith("SIP/2.0 " + expected + " ").contains("\r\nVia");
      assertThat(untilSentinel()).as("further answers").isEmpty();
    } else {
      double before = rig.counter("viaduct_sip_refused", "reason", expected);
      peer.send(ByteBuffer.wrap(message(file)), bridge);
      assertThat(untilSentinel()).as("answers").isEmpty();
      await().until(() -> rig.counter("viaduct_sip_refused", "reason", expected) == before + 1);
    }
  }

  @Test
  void theTableHasAllMessagesOfTheRfc() {
    assertThat(rows()).hasSize(49);
  }

  private static byte[] message(String file) throws IOException {
    try (InputStream in = TortureTest.class.getResourceAsStream("torture/" + file + ".dat")) {
      return Objects.requireNonNull(in, file).readAllBytes();
    }
  }

  // Returns what arrives before the answer to a request that is sent now.
  private static List<String> untilSentinel() throws IOException {
    String callId = "sentinel-" + ++sent;
    peer.send(ByteBuffer.wrap(options(callId)), bridge);
    List<String> others = new ArrayList<>();
    String arrived = receive();
    while (!arrived.contains(callId)) {
      others.add(arrived);
      arrived = receive();
    }
    return others;
  }

  private static String receive() throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(65_536);
    while (true) {
      if (arrivals.select(PATIENCE_MS) == 0) {
        throw new AssertionError("no answer in " + PATIENCE_MS + " ms");
      }
      arrivals.selectedKeys().clear();
      for (DatagramChannel each : List.of(peer, other)) {
        if (each.receive(buffer) != null) {
          return StandardCharsets.UTF_8.decode(buffer.flip()).toString();
        }
      }
    }
  }

  private static byte[] options(String callId) {
    return """
    OPTIONS sip:example.com SIP/2.0
    Via: SIP/2.0/UDP sentinel.example.com;branch=z9hG4bK%s
    From: <sip:sentinel@example.com>;tag=1
    To: <sip:example.com>
    Call-ID: %s
    CSeq: 1 OPTIONS
    Max-Forwards: 70
    Content-Length: 0

    """
        .formatted(callId, callId)
        .replace("\n", "\r\n")
        .getBytes(StandardCharsets.UTF_8);
  }
}

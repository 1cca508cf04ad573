package io.viaduct.testbed.sip;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Asks a server by OPTIONS over UDP, one question after the other, so that its longest pause is
/// seen as the longest time of an answer. An answer to a question that was given up counts for the
/// next one; that has waited for as long, so no pause is missed.
final class OptionsProbe {
  private static final int PATIENCE_MS = 1_000;
  private static final long PAUSE_NS = 1_000_000; // between an answer and the next question

  private static final String OPTIONS =
      """
      OPTIONS sip:%1$s SIP/2.0\r
      Via: SIP/2.0/UDP %2$s:%3$d;branch=z9hG4bK%4$d\r
      From: <sip:bench@%1$s>;tag=1\r
      To: <sip:%1$s>\r
      Call-ID: %4$d\r
      CSeq: 1 OPTIONS\r
      Max-Forwards: 70\r
      Content-Length: 0\r
      \r
      """;

  /// The answers.
  ///
  /// @param lost questions without an answer within a second
  /// @param longestMs time of the slowest answer; of a question without one, a second
  record Result(long answered, long lost, double longestMs) {}

  private OptionsProbe() {}

  /// Asks until it is enough, in a namespace.
  static Result ask(NetworkNamespace namespace, int port, BooleanSupplier isEnough) {
    return namespace.call(() -> {
      InetAddress server = InetAddress.getByName(Sipp.SERVER);
      try (DatagramSocket socket = new DatagramSocket(0, server)) {
        socket.setSoTimeout(PATIENCE_MS);
        return ask(socket, server, port, isEnough);
      }
    });
  }

  private static Result ask(
      DatagramSocket socket, InetAddress server, int port, BooleanSupplier isEnough)
      throws IOException {
    long answered = 0;
    long lost = 0;
    long longestNs = 0;
    while (!isEnough.getAsBoolean()) {
      long sentNs = System.nanoTime();
      byte[] options =
          OPTIONS
              .formatted(Plans.DOMAIN, Sipp.SERVER, socket.getLocalPort(), sentNs)
              .getBytes(StandardCharsets.US_ASCII);
      socket.send(new DatagramPacket(options, options.length, server, port));
      try {
        socket.receive(new DatagramPacket(new byte[2_000], 2_000));
        answered++;
      } catch (SocketTimeoutException _) {
        lost++;
      }
      longestNs = Math.max(longestNs, System.nanoTime() - sentNs);
      LockSupport.parkNanos(PAUSE_NS);
    }
    return new Result(answered, lost, longestNs / 1e6);
  }
}

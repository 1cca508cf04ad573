package io.viaduct.tunnel.session;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.terms.CompressionContext;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.ServiceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/// Measures the IP bytes that a tunnel saves on given payload. Both ends have a manual clock and a
/// path of 10 ms each way. All datagrams of both directions count with their outer headers.
public final class SavingsCheck {
  private static final long ONE_WAY_NS = 10_000_000;

  /// Load of `flows` UDP flows with packets of `packetBytes` (IP), each at `bitPerSecond`.
  public record Load(
      ServiceClass serviceClass, int packetBytes, double bitPerSecond, int flows, boolean same) {}

  /// Result of one load.
  ///
  /// @param controlBytes bytes of the opposite direction
  public record Result(
      long before, long after, long controlBytes, double datagrams, double compressions) {
    public double savedPercent() {
      return 100.0 * (before - after) / before;
    }
  }

  private record InFlight(long atNs, byte[] datagram) {}

  private final LoopbackRig rig;
  private final Deque<InFlight> up = new ArrayDeque<>();
  private final Deque<InFlight> down = new ArrayDeque<>();
  private long after;
  private long control;
  private long datagrams;

  private SavingsCheck(TunnelSettings settings) {
    rig = new LoopbackRig(settings);
  }

  /// Runs one load.
  ///
  /// @param text at least as long as the payload of all flows
  /// @param offsetNs time by which each flow starts after the one before
  public static Result of(
      TunnelSettings settings, Load load, byte[] text, double seconds, long offsetNs) {
    SavingsCheck check = new SavingsCheck(settings);
    try {
      return check.run(load, text, seconds, offsetNs);
    } finally {
      check.rig.close();
    }
  }

  private Result run(Load load, byte[] text, double seconds, long offsetNs) {
    rig.serviceClass = load.serviceClass;
    int payload = load.packetBytes - 28;
    long gapNs = (long) (load.packetBytes * 8e9 / load.bitPerSecond);
    long startNs = rig.nowNs;
    long endNs = startNs + (long) (seconds * 1e9);
    long[] nextNs = new long[load.flows];
    int[] at = new int[load.flows];
    for (int f = 0; f < load.flows; f++) {
      nextNs[f] = startNs + f * offsetNs + (load.same || offsetNs > 0 ? 0 : gapNs * f / load.flows);
      at[f] = load.same ? 0 : (int) ((long) text.length * f / load.flows);
    }
    long before = 0;
    while (true) {
      int f = 0;
      for (int i = 1; i < load.flows; i++) {
        f = nextNs[i] < nextNs[f] ? i : f;
      }
      if (nextNs[f] >= endNs) {
        break;
      }
      until(nextNs[f]);
      byte[] bytes = new byte[payload];
      for (int i = 0; i < payload; i++) {
        bytes[i] = text[(at[f] + i) % text.length];
      }
      at[f] += payload;
      nextNs[f] += gapNs;
      rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(4000 + f, 7, 9), bytes));
      before += load.packetBytes;
      boolean batchEnds = true;
      for (long next : nextNs) {
        batchEnds &= next > rig.nowNs;
      }
      if (batchEnds) { // packets of one instant are read from the TUN device in one batch
        rig.send(rig.agent);
        collect();
      }
    }
    until(rig.nowNs + 200_000_000);
    return new Result(
        before,
        after + control,
        control,
        datagrams,
        (double) rig.memory.compounds.compressions() / Math.max(1, datagrams));
  }

  private void collect() {
    while (!rig.up.isEmpty()) {
      byte[] datagram = rig.up.remove();
      after += datagram.length + 28;
      datagrams++;
      up.add(new InFlight(rig.nowNs + ONE_WAY_NS, datagram));
    }
    while (!rig.down.isEmpty()) {
      byte[] datagram = rig.down.remove();
      control += datagram.length + 28;
      down.add(new InFlight(rig.nowNs + ONE_WAY_NS, datagram));
    }
  }

  /// Lets time pass. Arrivals and deadlines happen in their order.
  private void until(long toNs) {
    while (true) {
      long next = Math.min(rig.agent.nextDeadlineNs(), rig.snapt.nextDeadlineNs());
      next = Math.max(next, rig.nowNs);
      next = up.isEmpty() ? next : Math.min(next, up.peek().atNs);
      next = down.isEmpty() ? next : Math.min(next, down.peek().atNs);
      if (next > toNs) {
        rig.nowNs = toNs;
        return;
      }
      rig.nowNs = next;
      while (!up.isEmpty() && up.peek().atNs <= next) {
        rig.receive(rig.snapt, up.remove().datagram);
      }
      while (!down.isEmpty() && down.peek().atNs <= next) {
        rig.receive(rig.agent, down.remove().datagram);
      }
      rig.atSnapt.clear();
      rig.agent.onTick(next);
      rig.snapt.onTick(next);
      rig.drain(rig.agent);
      rig.drain(rig.snapt);
      collect();
    }
  }

  static void row(TunnelSettings settings, String name, Load load, byte[] text, double seconds) {
    long cpu = System.nanoTime();
    Result r = of(settings, load, text, seconds, 0);
    System.out.printf(
        "%-7s %5d B %8.0f kbit/s %d flows%s: saved %5.1f %%, control %4.1f %%, %7.0f datagrams,"
            + " %.2f compressions each, %d ms%n",
        name,
        load.packetBytes,
        load.bitPerSecond / 1000,
        load.flows,
        load.same ? " same" : "     ",
        r.savedPercent(),
        100.0 * r.controlBytes / r.before,
        r.datagrams,
        r.compressions,
        (System.nanoTime() - cpu) / 1_000_000);
  }

  /// Prints the table: `SavingsCheck [TEXT-FILE [bytes of history [compound-percent]]]`.
  public static void main(String[] arguments) throws IOException {
    byte[] text =
        arguments.length > 0 ? Files.readAllBytes(Path.of(arguments[0])) : English.text(4 << 20, 1);
    int history = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 65_536;
    int percent = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 70;
    TunnelSettings settings = TestSettings.of(history, CompressionContext.REMOTE_HOST, percent);
    double[][] loads = {
      {3, 1360, 1e6, 20e6}, {1, 576, 128e3, 2e6}, {2, 1360, 15e3, 1e6}, {0, 100, 15e3, 128e3}
    };
    for (double[] load : loads) {
      ServiceClass c = ServiceClass.of((int) load[0]);
      for (double rate : new double[] {load[2], Math.sqrt(load[2] * load[3]), load[3]}) {
        for (int flows : new int[] {1, 5}) {
          double seconds = Math.clamp(4e6 * 8 / rate / flows, 3, 60);
          row(settings, c.name(), new Load(c, (int) load[1], rate, flows, false), text, seconds);
        }
        double seconds = Math.clamp(4e6 * 8 / rate, 3, 60);
        row(settings, c.name(), new Load(c, (int) load[1], rate, 5, true), text, seconds);
      }
    }
  }

  /// Makes text of words from a long tail of made-up ones.
  static final class English {
    private English() {}

    static byte[] text(int bytes, long seed) {
      Random random = new Random(seed);
      String[] words = new String[6000];
      String letters = "etaoinshrdlucmfwypvbgkqjxz";
      for (int i = 0; i < words.length; i++) {
        StringBuilder word = new StringBuilder();
        int length = 2 + Math.min(9, (int) (Math.log(i + 1.0) * 0.9) + random.nextInt(3));
        while (word.length() < length) {
          word.append(letters.charAt((int) (Math.pow(random.nextDouble(), 1.8) * 26)));
        }
        words[i] = word.toString();
      }
      StringBuilder text = new StringBuilder(bytes + 64);
      while (text.length() < bytes) {
        double u = random.nextDouble();
        text.append(words[(int) (Math.pow(6000, u) - 1)]);
        text.append(random.nextInt(12) == 0 ? ". " : " ");
      }
      return text.substring(0, bytes).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }
  }
}

package io.viaduct.testbed.calibration;

import io.viaduct.testbed.calibration.Accuracy.Goal;
import io.viaduct.testbed.calibration.ProbeStream.Arrived;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.TcpStream;
import io.viaduct.testbed.traffic.Way;
import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.Loss;
import io.viaduct.testbed.weather.Weather;
import io.viaduct.testbed.weather.WeatherText;
import io.viaduct.testbed.weather.WeatheredLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// The measurements. Link A has weather; link B is a veth pair, the reference. Packets go from the
/// device to the server.
final class WeatherBench {
  private static final int PROBE_BYTES = 106;
  private static final int FULL_BYTES = Weather.FRAME_BYTES;
  private static final double PROBES_PER_SECOND = 200;
  private static final double LOAD_MBIT = 100;
  private static final double LOSS_PROBES_PER_SECOND = 4000;
  private static final double LOSS_SECONDS = 5;
  private static final double OVERLOAD = 1.5; // of the rate that is measured
  private static final double DEVIATIONS = 3.29; // 99.9 % of a normal distribution
  private static final long SETTLING_NS = 500_000_000; // longer than the longest delay
  private static final Goal DELAY_ERROR = Goal.atMost(0.3, "ms");
  private static final String IDLE = "idle";
  private static final String BUSY = "100 Mbit/s";

  private final Topology topology;
  private final WeatheredLink link;
  private final double seconds;
  private final LongSupplier nanoTime;
  private final List<Accuracy> rows = new ArrayList<>();

  /// @param topology with link A with weather, and link B without
  WeatherBench(Topology topology, double seconds, LongSupplier nanoTime) {
    this.topology = topology;
    this.seconds = seconds;
    this.nanoTime = nanoTime;
    link = topology.weatheredCables().getFirst().weathered();
    topology.server.ip("addr add %s/24 dev core0".formatted(Topology.SERVER_BESIDE));
    topology.device.ip(
        "route replace %s via 10.71.2.1 dev linkB".formatted(Topology.SERVER_BESIDE));
  }

  List<Accuracy> rows() {
    return rows;
  }

  private Accuracy row(String measure, String setting, String load, String unit, Goal goal) {
    return rows.stream()
        .filter(row -> row.measure().equals(measure))
        .filter(row -> row.setting().equals(setting) && row.load().equals(load))
        .findFirst()
        .orElseGet(() -> {
          Accuracy row = Accuracy.row(measure, setting, load, unit, goal);
          rows.add(row);
          return row;
        });
  }

  /// Changes the weather, and waits until frames of the weather before have arrived: without
  /// reordering they would hold later frames back.
  private void weather(String settings) {
    Weather weather = WeatherText.apply(Weather.CLEAR, List.of(settings.split(" ")));
    link.change(Direction.UP, weather);
    LockSupport.parkNanos(SETTLING_NS);
  }

  private ProbeStream stream(String target, int bytes, double perSecond) {
    NetworkNamespace device = topology.device;
    return new ProbeStream(device, topology.server, target, bytes, perSecond, nanoTime);
  }

  private static void tell(String format, Object... values) {
    System.err.printf(Locale.ROOT, format + "%n", values);
  }

  /// Measures the added delay: quantiles on link A less those on link B at the same time.
  void delay(int delayMs, boolean isBusy) {
    String setting = "delay=" + delayMs + "ms";
    String load = isBusy ? BUSY : IDLE;
    weather(setting);
    var busy =
        stream(Topology.SERVER, FULL_BYTES, LOAD_MBIT * 1e6 / 8 / FULL_BYTES)
            .load(isBusy ? seconds + 0.5 : 0);
    var reference = stream(Topology.SERVER_BESIDE, PROBE_BYTES, PROBES_PER_SECOND).start(seconds);
    Arrived onA = stream(Topology.SERVER, PROBE_BYTES, PROBES_PER_SECOND).start(seconds).join();
    Arrived onB = reference.join();
    busy.join();
    double median = onA.delayMs(0.5) - onB.delayMs(0.5) - delayMs;
    double tail = onA.delayMs(0.99) - onB.delayMs(0.99) - delayMs;
    row("delay error p50", setting, load, "ms", DELAY_ERROR).add(median);
    row("delay error p99", setting, load, "ms", DELAY_ERROR).add(tail);
    row("reference p99", setting, load, "ms", Goal.none()).add(onB.delayMs(0.99));
    tell("%s, %s: error %.3f ms p50, %.3f ms p99", setting, load, median, tail);
  }

  /// Measures the rate of a line that gets more than it can carry.
  void rate(int mbit) {
    String setting = "rate=%dmbit queue=64kB".formatted(mbit);
    weather(setting);
    double perSecond = mbit * OVERLOAD * 1e6 / 8 / FULL_BYTES;
    Arrived arrived = stream(Topology.SERVER, FULL_BYTES, perSecond).start(seconds).join();
    double reached = arrived.mbitPerSecond();
    double percent = (reached / mbit - 1) * 100;
    row("rate", setting, "150 %", "Mbit/s", Goal.atMost(2, "%")).add(reached, percent);
    tell("%s: %.2f Mbit/s, error %.2f %%", setting, reached, percent);
  }

  /// Measures loss. The goal is the interval that holds 99.9 % of all runs; bursts widen it.
  void loss(String setting) {
    weather(setting);
    Arrived arrived =
        stream(Topology.SERVER, PROBE_BYTES, LOSS_PROBES_PER_SECOND).start(LOSS_SECONDS).join();
    Loss wanted = link.weather(Direction.UP).loss();
    double mean = wanted.mean();
    // A two-state chain with correlation r has (1 + r) / (1 - r) times the binomial variance.
    double correlation = wanted.enter() == 0 ? 0 : 1 - wanted.enter() - wanted.leave();
    double deviation =
        Math.sqrt(mean * (1 - mean) / arrived.sent() * (1 + correlation) / (1 - correlation));
    double reached = (double) arrived.lost() / arrived.sent();
    row(
            "loss",
            setting,
            "%.0f packets/s".formatted(LOSS_PROBES_PER_SECOND),
            "%",
            Goal.atMost(DEVIATIONS, "σ"))
        .add(reached * 100, (reached - mean) / deviation);
    tell("%s: %.3f %%, %.2f σ", setting, reached * 100, (reached - mean) / deviation);
  }

  /// Measures one TCP connection without weather.
  void throughput(Way way) {
    weather("clear");
    var tcp = new TcpStream(topology.device, topology.server, nanoTime);
    byte[] content = new byte[1 << 20];
    String direction = way.name().toLowerCase(Locale.ROOT);
    double onA = tcp.run(Topology.SERVER, way, content, seconds).mbitPerSecond();
    row("TCP " + direction, "clear", "", "Mbit/s", Goal.atLeast(1000, "Mbit/s")).add(onA);
    double onB = tcp.run(Topology.SERVER_BESIDE, way, content, seconds).mbitPerSecond();
    row("TCP " + direction, "veth, no weather", "", "Mbit/s", Goal.none()).add(onB);
    tell("TCP %s: %.0f Mbit/s, veth %.0f Mbit/s", direction, onA, onB);
  }

  /// Runs code before the measurement, because code that is still being compiled distorts it.
  void warmUp() {
    weather("delay=1ms");
    stream(Topology.SERVER, FULL_BYTES, LOAD_MBIT * 1e6 / 8 / FULL_BYTES).start(3).join();
    weather("clear");
    var tcp = new TcpStream(topology.device, topology.server, nanoTime);
    for (Way way : Way.values()) {
      tcp.run(Topology.SERVER, way, new byte[1 << 20], 2);
    }
  }
}

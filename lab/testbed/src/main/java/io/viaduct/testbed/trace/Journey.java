package io.viaduct.testbed.trace;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/// The shipped traces, and the generator that made them. Each has two links and a row per link and
/// second.
public enum Journey {
  /// Three minutes on foot: link A is the Wi-Fi of two buildings, link B a mobile network.
  WALK(180, 1.4) {
    @Override
    Radio first(Random random) {
      return new Radio(Radio.Kind.WIFI, List.of(0.0, 40.0, 210.0), random);
    }

    @Override
    Radio second(Random random) {
      return new Radio(Radio.Kind.CELLULAR, List.of(-150.0, 130.0, 420.0), random);
    }

    @Override
    double shieldDb(double meters, int link) {
      boolean isInside = meters < 45 || meters > 190;
      return link == 1 && isInside ? 12 : link == 0 && !isInside ? 8 : 0;
    }
  },
  /// Five minutes in a fast train: two mobile networks, and a tunnel that has no signal.
  TRAIN(300, 70) {
    @Override
    Radio first(Random random) {
      return new Radio(Radio.Kind.CELLULAR, stations(-500, 1600), random);
    }

    @Override
    Radio second(Random random) {
      return new Radio(Radio.Kind.CELLULAR, stations(400, 2100), random);
    }

    // The second network has cables in the first part of the tunnel.
    @Override
    double shieldDb(double meters, int link) {
      boolean isInTunnel = meters > (link == 0 ? 9000 : 9900) && meters < 10_800;
      return 3 + (isInTunnel ? 60 : 0);
    }
  };

  /// Seed of the shipped files.
  public static final long SEED = 1;

  private static final int TRACK_METERS = 24_000;

  private final int seconds;
  private final double metersPerSecond;

  Journey(int seconds, double metersPerSecond) {
    this.seconds = seconds;
    this.metersPerSecond = metersPerSecond;
  }

  abstract Radio first(Random random);

  abstract Radio second(Random random);

  abstract double shieldDb(double meters, int link);

  private static List<Double> stations(double first, double distance) {
    var all = new ArrayList<Double>();
    for (double at = first; at < TRACK_METERS; at += distance) {
      all.add(at);
    }
    return all;
  }

  /// Returns the name of the trace on the command line.
  public String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Makes a trace. The same seed gives the same trace on each machine.
  public Trace generate(long seed) {
    var random = new Random(seed);
    List<Radio> radios = List.of(first(random), second(random));
    var rows = new ArrayList<TraceRow>();
    for (int second = 0; second < seconds; second++) {
      double meters = second * metersPerSecond;
      for (int link = 0; link < radios.size(); link++) {
        rows.add(
            radios
                .get(link)
                .next(second * 1000L, link == 0 ? "A" : "B", meters, shieldDb(meters, link)));
      }
    }
    return new Trace(rows);
  }

  /// Makes the text of a trace.
  public String text(long seed) {
    return generate(seed)
        .text("made by: viaduct lab --print-trace %s --seed %d".formatted(title(), seed));
  }

  /// Reads the shipped file.
  public String shipped() {
    try (InputStream in = Journey.class.getResourceAsStream(title() + ".csv")) {
      if (in == null) {
        throw new IllegalStateException("the trace " + title() + " is missing in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

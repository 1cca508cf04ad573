package io.viaduct.billing.preview;

import java.util.EnumMap;
import java.util.Map;
import java.util.Random;

/// The bytes that an ordinary user wants in each minute of a day, in both directions. The amounts
/// are assumptions, not measurements: 60 mails, 120 web pages, an hour of video in the evening,
/// three calls of ten minutes, 200 chat messages, something in the background every five minutes,
/// and an update at night.
final class Wishes {
  static final int MINUTES = 24 * 60;

  /// Rates between which a video player chooses, kbit/s: the best that leaves a third free.
  private static final double[] VIDEO_KBIT_PER_SECOND = {3000, 1500, 700, 300};

  private static final double CALL_KBIT_PER_SECOND = 80;

  private final double[][] bytes = new double[Activity.values().length][MINUTES];

  /// Generates a day.
  ///
  /// @param network the video player chooses its rate by it
  static Wishes of(long seed, Network network) {
    Wishes day = new Wishes();
    Random random = new Random(seed);
    for (int i = 0; i < 60; i++) {
      day.add(Activity.MAIL, between(random, 8, 23), size(random, 60_000, 1.3));
    }
    for (int i = 0; i < 120; i++) {
      day.add(Activity.WEB, between(random, 8, 23), size(random, 1_800_000, 0.6));
    }
    for (int i = 0; i < 200; i++) {
      day.add(Activity.CHAT, between(random, 8, 23), size(random, 1_500, 0.5));
    }
    for (int minute = 0; minute < MINUTES; minute += 5) {
      day.add(Activity.BACKGROUND, minute, size(random, 15_000, 0.8));
    }
    day.add(Activity.BACKGROUND, 3 * 60, 150e6);
    for (int minute = 0; minute < 60; minute++) {
      day.add(Activity.VIDEO, 20 * 60 + minute, perMinute(videoRate(network)));
    }
    for (int call : new int[] {9 * 60 + 30, 13 * 60, 20 * 60 + 20}) {
      for (int minute = 0; minute < 10; minute++) {
        day.add(Activity.CALLS, call + minute, perMinute(CALL_KBIT_PER_SECOND));
      }
    }
    return day;
  }

  private void add(Activity activity, int minute, double wanted) {
    bytes[activity.ordinal()][minute] += wanted;
  }

  private static int between(Random random, int fromHour, int toHour) {
    return fromHour * 60 + random.nextInt((toHour - fromHour) * 60);
  }

  // Sizes are log-normal, as those of files and pages are.
  private static double size(Random random, double median, double sigma) {
    return median * Math.exp(sigma * random.nextGaussian());
  }

  private static double perMinute(double kbitPerSecond) {
    return kbitPerSecond * 1000 / 8 * 60;
  }

  private static double videoRate(Network network) {
    for (double rate : VIDEO_KBIT_PER_SECOND) {
      if (rate <= network.rateKbitPerSecond() * 2 / 3) {
        return rate;
      }
    }
    return VIDEO_KBIT_PER_SECOND[VIDEO_KBIT_PER_SECOND.length - 1];
  }

  /// Returns what is wanted in one minute.
  Map<Activity, Double> in(int minute) {
    Map<Activity, Double> wanted = new EnumMap<>(Activity.class);
    for (Activity activity : Activity.values()) {
      if (bytes[activity.ordinal()][minute] > 0) {
        wanted.put(activity, bytes[activity.ordinal()][minute]);
      }
    }
    return wanted;
  }
}

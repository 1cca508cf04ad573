package io.viaduct.testbed.weather;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Settings of weather as text: `delay=20ms jitter=5ms loss=1% burst=4 rate=10mbit queue=64kB`.
public final class WeatherText {
  /// Explains all settings to users.
  public static final String HELP =
      """
      delay=20ms           one-way delay behind the line; us, ms or s; 0ms to 10s
      jitter=5ms           delay varies evenly by this much up and down; at most the delay
      reorder=on|off       jitter may reorder packets (off)
      loss=1%              loss behind the line: a lost packet has used the line; bursts keep their length
      burst=4              mean length of a burst of losses, in packets; 1: independent losses (1)
      gilbert=1%,25%,0%,80%  Gilbert-Elliott: enters the bad state, leaves it, loss when good, when bad
      rate=10mbit          of Ethernet frames; kbit, mbit, gbit or unlimited
      queue=64kB|100p      bytes (B, kB, MB) or packets that wait for the line; then tail drop
      duplicate=1%         packets that arrive twice
      blackhole=on|off     all packets disappear, the link stays up
      clear                first removes all weather of the direction\
      """;

  private static final Map<String, Double> DURATIONS = Map.of("us", 1e3, "ms", 1e6, "s", 1e9);
  private static final Map<String, Double> RATES =
      Map.of("bit", 1.0, "kbit", 1e3, "mbit", 1e6, "gbit", 1e9);
  private static final Map<String, Double> QUEUES =
      Map.of("b", 1.0, "kb", 1e3, "mb", 1e6, "p", -1.0);
  private static final Map<String, Double> PERCENT = Map.of("%", 0.01);
  private static final Pattern QUANTITY = Pattern.compile("([0-9]*\\.?[0-9]+)([a-zA-Z%]*)");

  private WeatherText() {}

  /// Applies settings to a direction's weather.
  ///
  /// @throws IllegalArgumentException with the setting, the rule and an example
  public static Weather apply(Weather before, List<String> settings) {
    Weather base = settings.contains("clear") ? Weather.CLEAR : before;
    var values = new TreeMap<String, String>();
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      if (equals > 0) {
        if (values.put(setting.substring(0, equals), setting.substring(equals + 1)) != null) {
          throw new IllegalArgumentException("'" + setting + "': this setting is given twice");
        }
      } else if (!setting.equals("clear")) {
        throw new IllegalArgumentException(
            "'" + setting + "' is no setting: write name=value, such as delay=20ms, or clear");
      }
    }
    Weather changed = changed(base, values);
    if (!values.isEmpty()) {
      throw new IllegalArgumentException(
          "'%s' is no setting; there are: delay, jitter, reorder, loss, burst, gilbert, rate, queue, duplicate, blackhole, clear"
              .formatted(values.firstKey()));
    }
    return changed;
  }

  private static Weather changed(Weather base, Map<String, String> values) {
    Loss loss = loss(base.loss(), values);
    double queue = taken(values, "queue", QUEUES, 0, "64kB or 100p");
    return new Weather(
        (long) taken(values, "delay", DURATIONS, base.delayNs(), "20ms"),
        (long) taken(values, "jitter", DURATIONS, base.jitterNs(), "5ms"),
        isOn(values, "reorder", base.isReordering()),
        loss,
        rate(values, base.rateBitPerSecond()),
        queue > 0 ? (long) queue : queue < 0 ? Long.MAX_VALUE : base.queueBytes(),
        queue < 0 ? (int) -queue : queue > 0 ? Integer.MAX_VALUE : base.queueFrames(),
        taken(values, "duplicate", PERCENT, base.duplication(), "1%"),
        isOn(values, "blackhole", base.isBlackHole()));
  }

  private static Loss loss(Loss before, Map<String, String> values) {
    String gilbert = values.remove("gilbert");
    if (gilbert != null) {
      if (values.containsKey("loss") || values.containsKey("burst")) {
        throw new IllegalArgumentException("give either gilbert, or loss and burst");
      }
      double[] four = gilbert.isEmpty() ? new double[0] : percents(gilbert);
      if (four.length != 4) {
        throw new IllegalArgumentException(
            "gilbert=%s: it must be four percentages, such as gilbert=1%%,25%%,0%%,80%%"
                .formatted(gilbert));
      }
      return new Loss(four[0], four[1], four[2], four[3]);
    }
    if (!values.containsKey("loss") && !values.containsKey("burst")) {
      return before;
    }
    double mean = taken(values, "loss", PERCENT, before.mean(), "1%");
    String burst = values.remove("burst");
    double frames = burst == null ? before.burst() : quantity("burst", burst, Map.of("", 1.0), "4");
    return frames == 1 ? Loss.independent(mean) : Loss.inBursts(mean, frames);
  }

  private static double[] percents(String list) {
    return java.util.Arrays.stream(list.split(","))
        .mapToDouble(each -> quantity("gilbert", each, PERCENT, "gilbert=1%,25%,0%,80%"))
        .toArray();
  }

  private static long rate(Map<String, String> values, long before) {
    if ("unlimited".equals(values.get("rate"))) {
      values.remove("rate");
      return 0;
    }
    boolean given = values.containsKey("rate");
    long rate = (long) taken(values, "rate", RATES, before, "10mbit or unlimited");
    if (given && rate == 0) {
      throw new IllegalArgumentException(
          "rate is 0: it must be at least 1kbit, or unlimited; use blackhole=on to stop all packets");
    }
    return rate;
  }

  private static boolean isOn(Map<String, String> values, String key, boolean before) {
    String value = values.remove(key);
    return switch (value) {
      case null -> before;
      case "on" -> true;
      case "off" -> false;
      default ->
          throw new IllegalArgumentException("%s=%s: it must be on or off".formatted(key, value));
    };
  }

  private static double taken(
      Map<String, String> values,
      String key,
      Map<String, Double> units,
      double before,
      String example) {
    String value = values.remove(key);
    return value == null ? before : quantity(key, value, units, example);
  }

  private static double quantity(
      String key, String value, Map<String, Double> units, String example) {
    Matcher matcher = QUANTITY.matcher(value);
    Double factor = matcher.matches() ? units.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
    if (factor == null) {
      throw new IllegalArgumentException(
          "%s=%s: it must be a number with a unit, such as %s".formatted(key, value, example));
    }
    return Double.parseDouble(matcher.group(1)) * factor;
  }

  /// Returns the settings of a weather, `clear` for none.
  static String of(Weather weather) {
    var words = new ArrayList<String>();
    add(words, weather.delayNs() != 0, "delay=" + duration(weather.delayNs()));
    add(words, weather.jitterNs() != 0, "jitter=" + duration(weather.jitterNs()));
    add(words, weather.isReordering(), "reorder=on");
    Loss loss = weather.loss();
    if (loss.enter() == 0 || loss.leave() == 0) {
      add(words, loss.whenGood() != 0, "loss=" + percent(loss.whenGood()));
    } else if (loss.whenGood() == 0 && loss.whenBad() == 1) {
      words.add("loss=" + percent(loss.mean()));
      words.add("burst=" + number(1 / loss.leave()));
    } else {
      words.add(
          "gilbert=%s,%s,%s,%s"
              .formatted(
                  percent(loss.enter()),
                  percent(loss.leave()),
                  percent(loss.whenGood()),
                  percent(loss.whenBad())));
    }
    add(words, weather.rateBitPerSecond() != 0, "rate=" + rate(weather.rateBitPerSecond()));
    if (weather.queueBytes() != Long.MAX_VALUE) {
      words.add("queue=" + number(weather.queueBytes() / 1e3) + "kB");
    } else {
      add(
          words,
          weather.queueFrames() != Weather.QUEUE_FRAMES,
          "queue=" + weather.queueFrames() + "p");
    }
    add(words, weather.duplication() != 0, "duplicate=" + percent(weather.duplication()));
    add(words, weather.isBlackHole(), "blackhole=on");
    return words.isEmpty() ? "clear" : String.join(" ", words);
  }

  private static void add(List<String> words, boolean isSet, String word) {
    if (isSet) {
      words.add(word);
    }
  }

  static String duration(long ns) {
    return number(ns / 1e6) + "ms";
  }

  static String rate(long bitPerSecond) {
    return bitPerSecond % 1_000_000 == 0
        ? bitPerSecond / 1_000_000 + "mbit"
        : number(bitPerSecond / 1e3) + "kbit";
  }

  private static String percent(double probability) {
    return number(probability * 100) + "%";
  }

  private static String number(double value) {
    double rounded = Math.round(value * 1e6) / 1e6;
    return rounded == Math.rint(rounded)
        ? Long.toString((long) rounded)
        : java.math.BigDecimal.valueOf(rounded).toPlainString();
  }
}

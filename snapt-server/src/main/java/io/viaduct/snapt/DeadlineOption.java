package io.viaduct.snapt;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/// Reads the time of `snapt drain --deadline`: seconds without a unit, or an amount with `s`, `m`
/// or `h` as in the configuration; 1 s to 7 days.
final class DeadlineOption implements CommandLine.ITypeConverter<Duration> {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,6})([smh]?)");
  private static final Duration MAX = Duration.ofDays(7);

  @Override
  public Duration convert(String text) {
    Matcher form = FORM.matcher(text);
    if (form.matches()) {
      long amount = Long.parseLong(form.group(1));
      Duration time =
          switch (form.group(2)) {
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofSeconds(amount);
          };
      if (time.isPositive() && time.compareTo(MAX) <= 0) {
        return time;
      }
    }
    throw new CommandLine.TypeConversionException(
        "must be from 1 to %d seconds, such as 3600, 60s, 5m or 1h, got '%s'"
            .formatted(MAX.toSeconds(), text));
  }
}

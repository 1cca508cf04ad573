package io.viaduct.denarii;

import io.viaduct.denarii.text.Period;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/// The options that choose charges.
final class ChargeFilter {
  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "begin at or after: 2026-11-23, 2026-11-23T20:00 or RFC 3339")
  private String from = "";

  @Option(names = "--to", paramLabel = "TIME", description = "begin before")
  private String to = "";

  @Option(names = "--month", paramLabel = "YYYY-MM", description = "begin in this month")
  private String month = "";

  @Option(names = "--class", description = "LT_LD, HT_LD, LT_HD or HT_HD")
  private String serviceClass = "";

  @Option(
      names = "--state",
      description = "provisional, final_provisional, corrected, final, adjusted or void")
  private String state = "";

  @Option(names = "--application", paramLabel = "NAME", description = "such as web")
  private String application = "";

  @Option(names = "--snapt", paramLabel = "ID", description = "relay that carried it")
  private String snapt = "";

  @Option(
      names = "--device",
      paramLabel = "ID",
      description = "device that it was carried for: its id, as 'cnapt keygen' prints it")
  private String device = "";

  @Option(
      names = "--link",
      paramLabel = "NAME",
      description = "link of the device that carried most of it, such as wlan0")
  private String link = "";

  @Option(
      names = "--passed-by",
      paramLabel = "RULE",
      description = "rule that let its traffic pass: quota, grace, beyond-quota or none")
  private String passedBy = "";

  /// Returns the filters as billing knows them.
  Map<String, String> query(ZoneId zone) {
    Period period = Period.of(from, to, month, zone);
    Map<String, String> query = new LinkedHashMap<>();
    query.put("from", period.from());
    query.put("to", period.to());
    query.put("class", serviceClass);
    query.put("state", state);
    query.put("application", application);
    query.put("snapt", snapt);
    query.put("device", device);
    query.put("link", link);
    query.put("passedBy", passedBy);
    return query;
  }
}

package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.BillingRefusedException;
import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Period;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Lists, enrols and removes SNAPTs, and sets the price of an owner, as an operator.
@Command(
    name = "snapts",
    description = "List, enrol and remove SNAPTs, and schedule their price. As an operator.",
    mixinStandardHelpOptions = true,
    subcommands = {
      SnaptsCommand.ListAll.class,
      SnaptsCommand.Enrol.class,
      SnaptsCommand.Csr.class,
      SnaptsCommand.Certify.class,
      SnaptsCommand.Remove.class,
      SnaptsCommand.Price.class
    },
    footer = {"", "Example:", "  denarii snapts list"})
final class SnaptsCommand extends CommandGroup {
  private static final BigDecimal MEGABYTES_PER_GIGABYTE = BigDecimal.valueOf(1_000);

  /// Lists SNAPTs.
  @Command(
      name = "list",
      description = "List the enrolled SNAPTs with owner, region and price.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii snapts list"})
  static final class ListAll extends ReadingCall {
    @Override
    int run() throws IOException {
      List<JsonNode> snapts = Pages.of(billing(), "/snapts", Map.of(), "snapts").toList();
      if (isJson()) {
        snapts.forEach(this::jsonLine);
        return 0;
      }
      Table table = new Table("SNAPT", "OWNER", "REGION", "SURCHARGE PER GB", "NEXT", "ENROLLED");
      for (JsonNode each : snapts) {
        JsonNode next = each.path("scheduled").path(0);
        table.row(
            each.path("id").asString(),
            each.path("owner").asString(),
            each.path("region").asString(""),
            prices(each.path("surcharge")),
            next.isObject()
                ? prices(next)
                    + " from "
                    + Quantity.time(next.path("effectiveFrom").asString(), zone())
                : "-",
            Quantity.time(each.path("enrolledAt").asString(), zone()));
      }
      table.print(out());
      return 0;
    }

    private static String prices(JsonNode surcharge) {
      String shown =
          surcharge.at("/surcharge/denarii-per-megabyte").properties().stream()
              .filter(price -> price.getValue().asDouble() > 0)
              .map(price ->
                  price.getKey()
                      + " "
                      + price
                          .getValue()
                          .decimalValue()
                          .multiply(MEGABYTES_PER_GIGABYTE)
                          .stripTrailingZeros()
                          .toPlainString())
              .collect(Collectors.joining(", "));
      return shown.isEmpty() ? "none" : shown + " den";
    }
  }

  /// Enrols a SNAPT, or changes an enrolled one.
  @Command(
      name = "enrol",
      description = {
        "Enrol a SNAPT, or change an enrolled one: what is not named stays. The bridge admits it"
            + " within a second. 'snapt keygen' prints its report key.",
        "A new one without --report-key is invited: the command prints a code for 'snapt enrol',"
            + " which works once, within 24 h."
      },
      mixinStandardHelpOptions = true,
      footer = {
        "",
        "Example:",
        "  denarii snapts enrol snapt-2 --report-key KEY --owner acme --region north"
      })
  static final class Enrol extends ReadingCall {
    @Parameters(paramLabel = "SNAPT", description = "common name of its certificate")
    private String id = "";

    @Option(
        names = "--report-key",
        paramLabel = "KEY",
        description = "base64 of its raw Ed25519 key, 32 bytes; a new one without it is invited")
    private @Nullable String reportKey;

    @Option(
        names = "--owner",
        paramLabel = "OWNER",
        description = "who earns its fee and sets its price; needed for a new one")
    private @Nullable String owner;

    @Option(names = "--region", paramLabel = "TEXT", description = "at most 64 characters")
    private @Nullable String region;

    @Option(
        names = "--line-rate",
        paramLabel = "BIT/S",
        description = "in each direction; a report of more bytes is refused (default: 10 Gbit/s)")
    private @Nullable Long lineRate;

    @Override
    int run() throws IOException {
      BillingApi billing = billing();
      Optional<BillingApi.Answer> before = found(billing, id);
      JsonNode was = before.map(BillingApi.Answer::body).orElse(null);
      if (was == null && reportKey == null) {
        invite(billing);
        return 0;
      }
      Map<String, Object> wanted = new LinkedHashMap<>();
      wanted.put("reportKey", needed("--report-key", reportKey, was, "reportKey"));
      wanted.put("owner", needed("--owner", owner, was, "owner"));
      wanted.put(
          "region", region != null ? region : was == null ? "" : was.path("region").asString());
      if (lineRate != null) {
        wanted.put("lineRate", lineRate);
      } else if (was != null && was.path("lineRate").isNumber()) {
        wanted.put("lineRate", was.path("lineRate").asLong());
      }
      JsonNode stored =
          billing
              .send(
                  "PUT",
                  "/snapts/" + Pages.encoded(id),
                  wanted,
                  before
                      .map(known -> Map.of("If-Match", String.valueOf(known.version())))
                      .orElse(Map.of()))
              .body();
      if (isJson()) {
        json(stored);
      } else {
        out()
            .printf(
                "%s %s: owner %s, region %s%n",
                id,
                was == null ? "enrolled" : "changed",
                stored.path("owner").asString(),
                stored.path("region").asString("").isEmpty()
                    ? "none"
                    : stored.path("region").asString());
      }
      return 0;
    }

    private void invite(BillingApi billing) throws IOException {
      Map<String, Object> wanted = new LinkedHashMap<>();
      wanted.put("owner", needed("--owner", owner, null, "owner"));
      if (region != null) {
        wanted.put("region", region);
      }
      if (lineRate != null) {
        wanted.put("lineRate", lineRate);
      }
      JsonNode made = billing.send("POST", invitation(id), wanted, Map.of()).body();
      if (isJson()) {
        json(made);
        return;
      }
      out()
          .printf(
              "code for %s, once until %s:%n  %s%n",
              id,
              Quantity.time(made.path("expiresAt").asString(), zone()),
              made.path("code").asString());
    }

    private String needed(
        String option, @Nullable String given, @Nullable JsonNode was, String key) {
      if (given != null) {
        return given;
      }
      if (was == null) {
        throw new IllegalArgumentException(
            "SNAPT '%s' is not enrolled: name its %s".formatted(id, option));
      }
      return was.path(key).asString();
    }
  }

  /// Prints the request of a SNAPT that was invited.
  @Command(
      name = "csr",
      description = {
        "Print the certificate request of a SNAPT that was invited, or that asks for its next"
            + " certificate, for 'setup sign' or for an authority of your own."
      },
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii snapts csr snapt-3"})
  static final class Csr extends ReadingCall {
    @Parameters(paramLabel = "SNAPT", description = "its id")
    private String id = "";

    @Override
    int run() throws IOException {
      JsonNode invited = billing().get(invitation(id));
      if (isJson()) {
        json(invited);
        return 0;
      }
      String request = invited.path("request").asString("");
      if (request.isEmpty()) {
        err().printf("%s has not used its code yet%n", id);
        return 1;
      }
      out().print(request);
      out().flush();
      return 0;
    }
  }

  /// Gives a SNAPT that was invited its certificate.
  @Command(
      name = "certificate",
      description = {
        "Give a SNAPT the certificate that was issued for its request. One that was invited is"
            + " enrolled by it. The SNAPT fetches it by itself."
      },
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii snapts certificate snapt-3 snapt-3.pem"})
  static final class Certify extends ReadingCall {
    @Parameters(index = "0", paramLabel = "SNAPT", description = "its id")
    private String id = "";

    @Parameters(
        index = "1",
        paramLabel = "FILE",
        description = "PEM: its certificate first, then those of intermediate authorities")
    private Path file = Path.of("");

    @Override
    int run() throws IOException {
      JsonNode certified =
          billing()
              .send(
                  "PUT",
                  invitation(id) + "/certificate",
                  Map.of("certificates", Files.readString(file)),
                  Map.of())
              .body();
      if (isJson()) {
        json(certified);
      } else {
        out()
            .printf(
                certified.path("renewal").asBoolean(false)
                    ? "%s renewed: owner %s%n"
                    : "%s enrolled: owner %s%n",
                id,
                certified.path("owner").asString());
      }
      return 0;
    }
  }

  private static String invitation(String id) {
    return "/snapts/" + Pages.encoded(id) + "/invitation";
  }

  /// Removes a SNAPT.
  @Command(
      name = "remove",
      description = {
        "Remove a SNAPT: the bridge refuses its status and reports within a second, and devices get"
            + " a list without it. Let it drain first: 'snapt drain'."
      },
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii snapts remove snapt-2"})
  static final class Remove extends ReadingCall {
    @Parameters(paramLabel = "SNAPT", description = "its id")
    private String id = "";

    @Override
    int run() throws IOException {
      var unused = billing().send("DELETE", "/snapts/" + Pages.encoded(id), null, Map.of());
      if (isJson()) {
        json(JsonMapper.shared().createObjectNode().put("removed", id));
      } else {
        out().printf("%s removed%n", id);
      }
      return 0;
    }
  }

  /// Stores a version of an owner's surcharge.
  @Command(
      name = "price",
      description = {
        "Store what the owner of a SNAPT asks beside the tariff, from a time on. It is the price of"
            + " all SNAPTs of that owner. A class that is not named has none."
      },
      mixinStandardHelpOptions = true,
      footer = {
        "",
        "Example:",
        "  denarii snapts price snapt-1 --per-gigabyte HT_HD=2.5 --at 2027-01-01"
      })
  static final class Price extends ReadingCall {
    @Parameters(paramLabel = "SNAPT", description = "one of the owner's")
    private String id = "";

    @Option(
        names = "--per-gigabyte",
        paramLabel = "CLASS=DENARII",
        description = "LT_LD, HT_LD, LT_HD or HT_HD; repeat it for further classes")
    private Map<String, BigDecimal> perGigabyte = new LinkedHashMap<>();

    @Option(
        names = "--at",
        paramLabel = "TIME",
        description = "2027-01-01, 2027-01-01T03:00 or RFC 3339 (default: now)")
    private @Nullable String at;

    @Override
    int run() throws IOException {
      BillingApi billing = billing();
      String owner = billing.get("/snapts/" + Pages.encoded(id)).path("owner").asString();
      Map<String, BigDecimal> perMegabyte = new LinkedHashMap<>();
      perGigabyte.forEach((of, price) -> perMegabyte.put(of, price.divide(MEGABYTES_PER_GIGABYTE)));
      Map<String, Object> wanted = new LinkedHashMap<>();
      wanted.put("surcharge", Map.of("denarii-per-megabyte", perMegabyte));
      if (at != null) {
        wanted.put("effectiveFrom", Period.instant("--at", at, zone()));
      }
      JsonNode stored =
          billing
              .send("POST", "/owners/" + Pages.encoded(owner) + "/surcharges", wanted, Map.of())
              .body();
      if (isJson()) {
        json(stored);
      } else {
        out()
            .printf(
                "stored version %d of %s, effective from %s%n",
                stored.path("version").asInt(),
                owner,
                Quantity.time(stored.path("effectiveFrom").asString(), zone()));
      }
      return 0;
    }
  }

  private static Optional<BillingApi.Answer> found(BillingApi billing, String id)
      throws IOException {
    try {
      return Optional.of(billing.send("GET", "/snapts/" + Pages.encoded(id), null, Map.of()));
    } catch (BillingRefusedException e) {
      if (e.status() == 404) {
        return Optional.empty();
      }
      throw e;
    }
  }
}

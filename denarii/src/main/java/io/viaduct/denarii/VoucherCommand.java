package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.document.VoucherSheet;
import io.viaduct.denarii.text.Amount;
import io.viaduct.denarii.text.Period;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Makes vouchers and takes them back, as an operator; redeems one, as a user.
@Command(
    name = "voucher",
    description = "Make, print, list, take back and redeem vouchers.",
    mixinStandardHelpOptions = true,
    subcommands = {
      VoucherCommand.Make.class,
      VoucherCommand.ListBatches.class,
      VoucherCommand.TakeBack.class,
      VoucherCommand.Redeem.class
    },
    footer = {"", "Example:", "  denarii voucher list"})
final class VoucherCommand extends CommandGroup {
  /// Makes vouchers.
  @Command(
      name = "make",
      description = {
        "Make vouchers, as an operator, and post their sale. The codes are told only now: billing"
            + " keeps no code. If they are lost, take the batch back."
      },
      mixinStandardHelpOptions = true,
      footer = {
        "",
        "Example:",
        "  denarii voucher make --count 20 --amount 5den --expires 2027-12-31 --sheet sheet.html"
      })
  static final class Make extends ReadingCall {
    @Option(names = "--count", required = true, paramLabel = "N", description = "1 to 1000")
    private int count;

    @Option(
        names = "--amount",
        required = true,
        paramLabel = "AMOUNT",
        description = "of each one, such as 5den")
    private String amount = "";

    @Option(
        names = "--expires",
        required = true,
        paramLabel = "TIME",
        description = "2027-12-31 (its begin), 2027-12-31T20:00 or RFC 3339")
    private String expires = "";

    @Option(names = "--note", paramLabel = "TEXT", description = "for operators: who sells them")
    private String note = "";

    @Option(
        names = "--sheet",
        paramLabel = "FILE",
        description = "write the codes to this HTML page for a printer, mode 600, instead of here")
    private @Nullable Path sheet;

    @Option(
        names = "--key",
        description = "idempotency key, 1 to 128 characters (default: a new one, which is printed)")
    private @Nullable String key;

    @Override
    int run() throws IOException {
      long microdenarii = Amount.parse(amount);
      String once = key == null ? UUID.randomUUID().toString() : key;
      err().printf("key %s%n", once);
      err().flush();
      JsonNode made =
          sheet == null ? make(microdenarii, once) : makeOnto(sheet, microdenarii, once);
      if (isJson()) {
        json(made);
      } else {
        print(made);
      }
      return 0;
    }

    private JsonNode make(long microdenarii, String once) throws IOException {
      return billing()
          .send(
              "POST",
              "/vouchers",
              Map.of(
                  "count",
                  count,
                  "amountMicrodenarii",
                  Long.toString(microdenarii),
                  "expiresAt",
                  Period.instant("--expires", expires, zone()),
                  "note",
                  note),
              Map.of("Idempotency-Key", once))
          .body();
    }

    // The file is made first: codes that could not be written would be lost.
    private JsonNode makeOnto(Path file, long microdenarii, String once) throws IOException {
      try {
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      } catch (FileAlreadyExistsException _) {
        throw new FileAlreadyExistsException(
            file.toString(), null, "it exists: name another file, or delete it");
      }
      JsonNode made;
      try {
        made = make(microdenarii, once);
      } catch (IOException | RuntimeException e) {
        Files.delete(file);
        throw e;
      }
      if (made.path("vouchers").isEmpty()) {
        Files.delete(file);
        return made;
      }
      try {
        Files.writeString(file, VoucherSheet.html(made, zone()));
      } catch (IOException e) {
        codes(made); // nobody can tell them again
        throw e;
      }
      return made;
    }

    private void print(JsonNode made) {
      String batch = made.at("/batch/id").asString();
      if (made.path("vouchers").isEmpty()) {
        out()
            .printf(
                "batch %s was made before; its codes cannot be told again. If they are lost:%n"
                    + "denarii voucher return %s --reason \"codes lost\"%n",
                batch, batch);
        return;
      }
      out()
          .printf(
              "batch %s: %d vouchers of %s, until %s%n",
              batch,
              made.at("/batch/count").asInt(),
              Amount.exact(made.at("/batch/amountMicrodenarii").asString()),
              Quantity.time(made.at("/batch/expiresAt").asString(), zone()));
      if (sheet != null) {
        out().printf("%s: print it, then delete it%n", sheet);
        return;
      }
      codes(made);
    }

    private void codes(JsonNode made) {
      Table table = new Table("VOUCHER", "CODE");
      made.path("vouchers")
          .forEach(v -> table.row(v.path("serial").asString(), v.path("code").asString()));
      table.print(out());
    }
  }

  /// Lists batches.
  @Command(
      name = "list",
      description = "List the batches of vouchers, the latest first. As an operator.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii voucher list --limit 10"})
  static final class ListBatches extends ReadingCall {
    @Option(
        names = "--limit",
        paramLabel = "N",
        description = "at most so many; 0 for all (default: ${DEFAULT-VALUE})")
    private int limit = 50;

    @Override
    int run() throws IOException {
      var rows = Pages.of(billing(), "/vouchers", Map.of(), "batches");
      var batches = (limit == 0 ? rows : rows.limit(limit)).toList();
      if (isJson()) {
        batches.forEach(this::jsonLine);
        return 0;
      }
      Table table =
          new Table(
              ">BATCH",
              "MADE",
              ">AMOUNT",
              ">COUNT",
              ">OPEN",
              ">REDEEMED",
              ">EXPIRED",
              ">RETURNED",
              "EXPIRES",
              "NOTE");
      for (JsonNode batch : batches) {
        table.row(
            batch.path("id").asString(),
            Quantity.time(batch.path("createdAt").asString(), zone()),
            Amount.exact(batch.path("amountMicrodenarii").asString()),
            batch.path("count").asString(),
            batch.path("open").asString(),
            batch.path("redeemed").asString(),
            batch.path("expired").asString(),
            batch.path("returned").asString(),
            Quantity.time(batch.path("expiresAt").asString(), zone()),
            batch.path("note").asString());
      }
      table.print(out());
      return 0;
    }
  }

  /// Takes a batch back.
  @Command(
      name = "return",
      description = "Take back the vouchers of a batch that nobody has redeemed. As an operator.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii voucher return 12 --reason \"sheet was lost\""})
  static final class TakeBack extends ReadingCall {
    @Parameters(paramLabel = "BATCH", description = "number of the batch")
    private String batch = "";

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "why")
    private String reason = "";

    @Option(
        names = "--key",
        description = "idempotency key, 1 to 128 characters (default: a new one, which is printed)")
    private @Nullable String key;

    @Override
    int run() throws IOException {
      String once = key == null ? UUID.randomUUID().toString() : key;
      err().printf("key %s%n", once);
      JsonNode after =
          billing()
              .send(
                  "POST",
                  "/vouchers/" + Pages.encoded(batch) + "/return",
                  Map.of("reason", reason),
                  Map.of("Idempotency-Key", once))
              .body();
      if (isJson()) {
        json(after);
      } else {
        out()
            .printf(
                "batch %s: %d returned, %d redeemed, %d open%n",
                after.path("id").asString(),
                after.path("returned").asInt(),
                after.path("redeemed").asInt(),
                after.path("open").asInt());
      }
      return 0;
    }
  }

  /// Redeems a voucher.
  @Command(
      name = "redeem",
      description = "Redeem a voucher. Repeating the command redeems it once.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii voucher redeem 7KQ2M-0XW9T-H3B4C-N8PRD"})
  static final class Redeem extends ReadingCall {
    @Parameters(
        paramLabel = "CODE",
        arity = "0..1",
        description = "as printed (default: ask, so that no other user of this machine sees it)")
    private @Nullable String code;

    @Option(names = "--account", description = "default: your own")
    private @Nullable String account;

    @Override
    int run() throws IOException {
      String path = accountPath(account) + "/redemptions";
      String typed = code == null ? surroundings().password().ask("code: ") : code;
      BillingApi.Answer answer = billing().send("POST", path, Map.of("code", typed), Map.of());
      if (isJson()) {
        json(answer.body());
      } else {
        out()
            .printf(
                "voucher %s %s: %s%n",
                answer.body().path("serial").asString(),
                answer.status() == 201 ? "redeemed" : "was redeemed by you before",
                Amount.exact(answer.body().path("amountMicrodenarii").asString()));
      }
      return 0;
    }
  }
}

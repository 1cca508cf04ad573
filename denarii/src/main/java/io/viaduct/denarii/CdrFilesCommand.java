package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.BillingRefusedException;
import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Lists and downloads files of charging data records.
@Command(
    name = "cdr-files",
    description = "List and download files of charging data records, as an operator or auditor.",
    mixinStandardHelpOptions = true,
    subcommands = {CdrFilesCommand.ListAll.class, CdrFilesCommand.Get.class},
    footer = {"", "Example:", "  denarii cdr-files list"})
final class CdrFilesCommand extends CommandGroup {
  private static final String PATH = "/cdr-files";

  /// Lists the files.
  @Command(
      name = "list",
      description = "List the files, latest first.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii cdr-files list --limit 10"})
  static final class ListAll extends ReadingCall {
    @Option(
        names = "--limit",
        paramLabel = "N",
        description = "most files (default: ${DEFAULT-VALUE})")
    private int limit = 50;

    @Override
    int run() throws IOException {
      Stream<JsonNode> files = Pages.of(billing(), PATH, Map.of(), "files").limit(limit);
      if (isJson()) {
        files.forEach(this::jsonLine);
        return 0;
      }
      Table table = new Table(">NUMBER", "NAME", ">RECORDS", ">SIZE", "CLOSED", "WRITTEN");
      files.forEach(file ->
          table.row(
              Long.toString(file.path("sequence").asLong()),
              file.path("name").asString(),
              Integer.toString(file.path("records").asInt()),
              file.path("bytes").isNull()
                  ? "-"
                  : Quantity.bytes(Long.parseLong(file.path("bytes").asString())),
              Quantity.time(file.path("closedAt").asString(), zone()),
              file.path("writtenAt").isNull()
                  ? "not yet"
                  : Quantity.time(file.path("writtenAt").asString(), zone())));
      table.print(out());
      return 0;
    }
  }

  /// Downloads a file.
  @Command(
      name = "get",
      description = {
        "Download a file under its name. An interrupted download is continued by the same command:"
            + " what has come is in NAME.part. The file appears when its SHA-256 is right."
      },
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii cdr-files get 17 --directory cdr"})
  static final class Get extends BillingCall {
    private static final int RANGE_NOT_SATISFIABLE = 416;

    @Parameters(paramLabel = "NUMBER", description = "as the list has it")
    private long sequence;

    @Option(
        names = "--directory",
        paramLabel = "DIRECTORY",
        description = "where it is written (default: here)")
    private Path directory = Path.of("");

    @Override
    int run() throws IOException {
      BillingApi billing = billing();
      JsonNode file = billing.get(PATH + "/" + sequence);
      if (file.path("sha256").isNull()) {
        throw new BillingRefusedException(409, "", "file " + sequence + " is not written yet");
      }
      Path target = directory.resolve(file.path("name").asString());
      if (Files.exists(target)) {
        throw new FileAlreadyExistsException(
            target.toString(), null, "it exists: name another directory, or delete it");
      }
      Path part = directory.resolve(target.getFileName() + ".part");
      continueDownload(billing, part);
      String digest = digest(part);
      if (!digest.equals(file.path("sha256").asString())) {
        Files.delete(part);
        throw new IOException(
            "%s came with SHA-256 %s and not %s: get it again"
                .formatted(target, digest, file.path("sha256").asString()));
      }
      Files.move(part, target);
      out().printf("%s, %s%n", target, Quantity.bytes(Files.size(target)));
      return 0;
    }

    private void continueDownload(BillingApi billing, Path part) throws IOException {
      long there = Files.exists(part) ? Files.size(part) : 0;
      Map<String, String> range = there == 0 ? Map.of() : Map.of("Range", "bytes=" + there + "-");
      BillingApi.Opened opened;
      try {
        opened = billing.open(PATH + "/" + sequence + "/content", range);
      } catch (BillingRefusedException e) {
        if (e.status() == RANGE_NOT_SATISFIABLE) {
          return; // all of it has come
        }
        throw e;
      }
      try (InputStream in = opened.body();
          OutputStream out =
              Files.newOutputStream(
                  part,
                  StandardOpenOption.CREATE,
                  opened.isPartial()
                      ? StandardOpenOption.APPEND
                      : StandardOpenOption.TRUNCATE_EXISTING)) {
        var unused = in.transferTo(out);
      }
    }

    private static String digest(Path file) throws IOException {
      try (DigestOutputStream out =
          new DigestOutputStream(
              OutputStream.nullOutputStream(), MessageDigest.getInstance("SHA-256"))) {
        Files.copy(file, out);
        return HexFormat.of().formatHex(out.getMessageDigest().digest());
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java has SHA-256", e);
      }
    }
  }
}

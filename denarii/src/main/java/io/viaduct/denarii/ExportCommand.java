package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.Pages;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;

/// Exports charges as a file.
@Command(
    name = "export",
    description = {
      "Export the charges of an account, or of a month of it, with all fields, the latest first.",
      "A file appears only when it is complete."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii export --month 2026-11 --format csv --out november.csv"})
final class ExportCommand extends BillingCall {
  private static final JsonMapper JSON = JsonMapper.shared();

  /// Formats of a file.
  enum Format {
    /// RFC 4180 with a header line.
    CSV,
    /// One JSON object on each line.
    JSONL
  }

  @Parameters(arity = "0..1", paramLabel = "ACCOUNT", description = "default: your own")
  private @Nullable String account;

  @Mixin private ChargeFilter filter = new ChargeFilter();

  @Option(names = "--format", description = "csv or jsonl (default: csv)")
  private Format format = Format.CSV;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "file to write, which must not exist (default: standard output)")
  private @Nullable Path file;

  @Override
  int run() throws IOException {
    String path = accountPath(account) + "/charges";
    BillingApi billing = billing();
    Map<String, String> query = filter.query(zone());
    if (file == null) {
      write(billing, path, query, out());
      out().flush();
      return 0;
    }
    WholeFile.write(
        file,
        to -> {
          Writer out = new OutputStreamWriter(to, StandardCharsets.UTF_8);
          write(billing, path, query, out);
          out.flush();
        });
    return 0;
  }

  private void write(BillingApi billing, String path, Map<String, String> query, Writer out)
      throws IOException {
    if (format == Format.CSV) {
      try (InputStream in = billing.open(Pages.path(path + ".csv", query));
          Reader text = new InputStreamReader(in, StandardCharsets.UTF_8)) {
        var unused = text.transferTo(out);
      }
      return;
    }
    Pages.of(billing, path, query, "charges")
        .forEach(charge -> {
          try {
            out.write(JSON.writeValueAsString(charge) + "\n");
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}

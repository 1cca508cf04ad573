package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.denarii.statement.StatementCheck;
import io.viaduct.service.digest.Sha256;
import io.viaduct.usage.ProvenReport;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.statement.MerkleTree;
import io.viaduct.usage.statement.StatementCharge;
import io.viaduct.usage.statement.StatementReceipt;
import io.viaduct.usage.statement.StatementRoot;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.UsageReport;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/// A statement that is made from a history without a database, as billing makes it from its rows.
///
/// @param lines lines of the file
/// @param roots published roots by day
record MadeStatement(List<String> lines, List<PublishedRoot> roots) {
  static final StatementKey KEY = new StatementKey(new byte[32]);
  private static final KeyPair SNAPT = ProvenReport.keyPair();
  private static final Instant BEGIN = Instant.parse("2026-11-24T00:00:00Z");
  private static final ByteString SALT = ByteString.copyFrom(new byte[32]);
  private static final String ACCOUNT = "alice";

  /// A movement of the history.
  ///
  /// @param day day after the first one
  /// @param report the billed report; null for money that came otherwise
  /// @param isByDevice true if the device's own report of the same interval is billed instead
  record Step(
      int day,
      String kind,
      String identity,
      long amount,
      List<StatementCharge> charges,
      UsageReport report,
      boolean isByDevice) {
    Step withAmount(long other) {
      return new Step(day, kind, identity, other, charges, report, isByDevice);
    }

    Step onDay(int other) {
      return new Step(other, kind, identity, amount, charges, report, isByDevice);
    }
  }

  /// Returns a history of some days.
  static List<Step> history(Random random) {
    List<Step> steps = new ArrayList<>();
    int day = 0;
    for (int i = 0, n = 2 + random.nextInt(12); i < n; i++) {
      day += random.nextInt(4) == 0 ? 1 : 0;
      steps.add(random.nextInt(3) == 0 ? topUp(day, i, random) : report(day, i, random));
    }
    return steps;
  }

  private static Step topUp(int day, int number, Random random) {
    return new Step(
        day, "TOP_UP", "top-up:" + number, 1 + random.nextInt(1_000_000), List.of(), null, false);
  }

  private static Step report(int day, int number, Random random) {
    List<FlowUsage> flows = new ArrayList<>();
    List<StatementCharge> charges = new ArrayList<>();
    for (int flow = 1; flow <= 1 + random.nextInt(3); flow++) {
      long bytes = 3 + random.nextInt(100_000);
      flows.add(Reports.flow(flow, "web", bytes, bytes, 20));
      long charge = 10 + random.nextInt(10_000);
      charges.add(
          new StatementCharge(
              100L * number + flow,
              flow,
              "web",
              "HT_LD",
              bytes,
              charge,
              3,
              2,
              1,
              random.nextInt(4)));
    }
    UsageReport report =
        Reports.report(
                "snapt-1", "session", 1, number, ACCOUNT, BEGIN.plusSeconds(60 + number), flows)
            .build();
    boolean isByDevice = number % 4 == 3;
    return new Step(
        day,
        "CORRECTION",
        "report:snapt-1/%ssession/1/%d".formatted(isByDevice ? "device:7:" : "", number),
        -charges.stream().mapToLong(StatementCharge::net).sum(),
        charges,
        report,
        isByDevice);
  }

  /// Makes the statement with a root at the end of each day, the last one included.
  ///
  /// @param others leaves of other accounts, before and after that of this one
  static MadeStatement of(List<Step> steps, int others) {
    return of(steps, others, KEY);
  }

  /// Makes the statement as somebody who signs with a key of their own.
  static MadeStatement of(List<Step> steps, int others, StatementKey key) {
    ByteString genesis = StatementReceipt.genesis(ACCOUNT, SALT);
    List<PublishedRoot> roots = new ArrayList<>();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DigestedLines file = new DigestedLines(bytes);
    try {
      file.write(
          StatementLines.begin(ACCOUNT, SALT, ByteString.EMPTY, BEGIN, List.of(key.publicKey())));
      ByteString previous = genesis;
      long balance = 0;
      long number = 0;
      int day = 0;
      for (Step step : steps) {
        for (; day < step.day(); day++) {
          file.write(day(day, roots, genesis, number, previous, others, key));
        }
        number++;
        balance += step.amount();
        StatementReceipt receipt = receipt(step, number, previous, balance);
        previous = receipt.hash();
        file.write(
            StatementLines.receipt(
                receipt,
                key.sign(SignedMessage.STATEMENT_RECEIPT, previous),
                step.charges(),
                signed(step)));
      }
      file.write(day(day, roots, genesis, number, previous, others, key));
      file.end(number, key);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new MadeStatement(bytes.toString(StandardCharsets.UTF_8).lines().toList(), roots);
  }

  private static StatementReceipt receipt(
      Step step, long number, ByteString previous, long balance) {
    return new StatementReceipt(
        number,
        previous,
        1_000_000L * number,
        step.kind(),
        step.identity(),
        "note",
        step.amount(),
        balance,
        step.report() == null
            ? ByteString.EMPTY
            : ByteString.copyFrom(
                Sha256.of(
                    step.isByDevice()
                        ? ofDevice(step.report()).getReport().toByteArray()
                        : step.report().toByteArray())),
        step.charges().isEmpty() ? ByteString.EMPTY : StatementCharge.digest(step.charges()));
  }

  private static SignedDeviceReport ofDevice(UsageReport report) {
    return Reports.ofDevice(report, 0);
  }

  private static StatementLines.SignedReport signed(Step step) {
    if (step.report() == null) {
      return null;
    }
    if (!step.isByDevice()) {
      return countersigned(step.report());
    }
    SignedDeviceReport report = ofDevice(step.report());
    return new StatementLines.ByDevice(
        report.getReport(), report.getSignature(), deviceKey(step.report()));
  }

  private static StatementLines.Countersigned countersigned(UsageReport report) {
    var receipt = Reports.PROVEN.receipt(report);
    return new StatementLines.Countersigned(
        report.toByteString(),
        SignedMessage.USAGE_REPORT.sign(SNAPT.getPrivate(), report.toByteString()),
        List.of(ProvenReport.raw(SNAPT)),
        new StatementLines.DeviceReceipt(
            receipt.getReceipt(), receipt.getSignature(), deviceKey(report)));
  }

  private static ByteString deviceKey(UsageReport report) {
    try {
      return io.viaduct.usage.v1.SessionToken.parseFrom(Reports.PROVEN.token(report).getToken())
          .getDeviceKey();
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String day(
      int day,
      List<PublishedRoot> roots,
      ByteString genesis,
      long number,
      ByteString hash,
      int others,
      StatementKey key) {
    List<ByteString> leaves = new ArrayList<>();
    for (int i = 0; i < others; i++) {
      leaves.add(StatementRoot.leaf(genesis, i, ByteString.copyFromUtf8("other")));
    }
    int position = others / 2;
    leaves.add(position, StatementRoot.leaf(genesis, number, hash));
    List<List<ByteString>> levels = MerkleTree.levels(leaves);
    StatementRoot root =
        new StatementRoot(
            LocalDate.ofInstant(BEGIN, java.time.ZoneOffset.UTC).plusDays(day),
            leaves.size(),
            levels.getLast().getFirst(),
            roots.isEmpty() ? ByteString.EMPTY : roots.getLast().hash());
    roots.add(
        new PublishedRoot(
            root,
            root.hash(),
            key.sign(SignedMessage.STATEMENT_ROOT, root.hash()),
            key.publicKey(),
            BEGIN));
    return StatementLines.day(
        roots.getLast(), number, position, MerkleTree.proof(levels, position));
  }

  /// Checks lines as a file.
  ///
  /// @param published roots that are known from elsewhere
  static StatementCheck.Result check(List<String> lines, List<PublishedRoot> published) {
    return check(lines, published, Set.of());
  }

  /// @param keys keys of billing that are known from elsewhere
  static StatementCheck.Result check(
      List<String> lines, List<PublishedRoot> published, Set<ByteString> keys) {
    Map<LocalDate, ByteString> roots = new java.util.HashMap<>();
    published.forEach(root -> roots.put(root.root().day(), root.hash()));
    try {
      return StatementCheck.of(
          new ByteArrayInputStream(
              (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8)),
          new StatementCheck.Known(roots, Map.of(), keys, Set.of()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

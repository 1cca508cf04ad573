package io.viaduct.denarii.statement;

import com.google.protobuf.ByteString;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.statement.StatementCharge;
import io.viaduct.usage.statement.StatementReceipt;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Checks a file with a signed statement from its first line to its last, without billing. After a
/// broken rule it goes on with what the next lines state, so that one change gives few findings. An
/// instance checks one file.
public final class StatementCheck {
  private static final Set<String> TYPES = Set.of("statement", "receipt", "day", "end");
  private static final int FORMAT = 1;
  private static final String PSEUDONYM = "erased-";
  private static final int LINE_MAX = 1 << 26;
  private static final int FINDINGS_MAX = 1000;
  private static final JsonMapper JSON = JsonMapper.shared();

  /// Keys and roots that the caller knows from elsewhere.
  ///
  /// @param roots published roots that the file must have, by day
  /// @param kept roots that the caller has kept, by day: from the file's first root on it must have
  ///   each of them
  /// @param billingKeys keys of billing that the caller trusts; empty: those of the file
  /// @param snaptKeys keys of SNAPTs that the caller trusts; empty: those of the file
  public record Known(
      Map<LocalDate, ByteString> roots,
      Map<LocalDate, ByteString> kept,
      Set<ByteString> billingKeys,
      Set<ByteString> snaptKeys) {
    public Known {
      roots = Map.copyOf(roots);
      kept = Map.copyOf(kept);
      billingKeys = Set.copyOf(billingKeys);
      snaptKeys = Set.copyOf(snaptKeys);
    }
  }

  /// The result.
  ///
  /// @param account empty if the first line does not tell it
  /// @param lines lines of the types that a statement has; 0 in a file that is none
  /// @param first number of the first receipt; 0 without one
  /// @param last number of the last receipt
  /// @param balance balance after it, micro-denarii
  /// @param roots roots of the file by day
  /// @param covered number of the last receipt that a root of the file covers
  /// @param countersigned reports that their SNAPT has signed
  /// @param withoutKey reports of SNAPTs whose keys billing does not know
  /// @param byDevices reports of SNAPTs that a device has signed, too
  /// @param ofDevices bills that were made from a device's own report
  /// @param notKept reports and bills that billing no longer keeps
  /// @param isPinned true if keys of billing, or a root that covers the last receipt, were known to
  ///   the caller. Otherwise somebody else may have made the whole file with a key of their own
  /// @param billingKeys keys of billing that have signed the file's lines
  /// @param snaptKeys keys that have signed reports, by SNAPT
  public record Result(
      String account,
      long lines,
      long receipts,
      long first,
      long last,
      long balance,
      TreeMap<LocalDate, ByteString> roots,
      long covered,
      long countersigned,
      long withoutKey,
      long byDevices,
      long ofDevices,
      long notKept,
      boolean isPinned,
      Set<ByteString> billingKeys,
      Map<String, TreeSet<ByteString>> snaptKeys,
      List<Finding> findings) {
    /// Returns true if no rule is broken.
    public boolean holds() {
      return findings.isEmpty();
    }
  }

  private final Known known;
  private final List<Finding> findings = new ArrayList<>();
  private final MessageDigest digest;
  private final Set<ByteString> signers = new HashSet<>();
  private final Map<String, Long> bills = new HashMap<>(); // net by the report's identity

  private long line;
  private long lines; // of a statement's types
  private String account = "";
  private List<ByteString> billingKeys = List.of();
  private ReportCheck reports = new ReportCheck("");
  private DayCheck days = new DayCheck(ByteString.EMPTY, List.of());
  private @Nullable ReceiptLine before;
  private ByteString lastHash = ByteString.EMPTY;
  private boolean isAnchorOpen;
  private boolean isCoveredByKnownRoot; // the last receipt
  private boolean hasEnded;
  private long receipts;
  private long first;
  private long covered;
  private long billsNotKept;

  private StatementCheck(Known known) {
    this.known = known;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// Checks a file.
  ///
  /// @throws IOException if it cannot be read
  public static Result of(InputStream file, Known known) throws IOException {
    StatementCheck check = new StatementCheck(known);
    byte[] next = readLine(file);
    while (next.length > 0) {
      check.line++;
      check.read(next);
      next = readLine(file);
    }
    return check.result();
  }

  // With its line feed, which the digest covers.
  private static byte[] readLine(InputStream file) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int octet = file.read();
    while (octet >= 0) {
      line.write(octet);
      if (octet == '\n' || line.size() == LINE_MAX) {
        break;
      }
      octet = file.read();
    }
    return line.toByteArray();
  }

  private void find(Rule rule, String detail) {
    if (findings.size() < FINDINGS_MAX) {
      findings.add(new Finding(line, rule, detail));
    }
  }

  private void read(byte[] octets) {
    JsonNode json;
    try {
      json = JSON.readTree(octets);
    } catch (JacksonException _) {
      json = JSON.missingNode();
    }
    String type = json.path("type").asString("");
    lines += TYPES.contains(type) ? 1 : 0;
    if (hasEnded) {
      find(Rule.END, "the statement has ended, and this line follows");
    } else if (line == 1 != type.equals("statement")) {
      find(
          Rule.FORMAT,
          line == 1
              ? "the first line must be that of a statement"
              : "this line must be the first one");
    } else {
      try {
        read(type, json);
      } catch (IllegalArgumentException e) {
        find(Rule.FORMAT, String.valueOf(e.getMessage()));
      }
    }
    digest.update(octets);
  }

  private void read(String type, JsonNode json) {
    switch (type) {
      case "statement" -> begin(new Fields(json));
      case "receipt" -> receipt(ReceiptLine.of(json));
      case "day" -> day(new Fields(json));
      case "end" -> end(new Fields(json));
      default -> throw new IllegalArgumentException("type must be receipt, day or end");
    }
  }

  private void begin(Fields fields) {
    if (fields.json().path("format").asInt(0) != FORMAT) {
      throw new IllegalArgumentException("format must be " + FORMAT + ": use a newer denarii");
    }
    account = fields.text("account");
    billingKeys = fields.base64List("billingKeys");
    reports = new ReportCheck(account);
    ByteString genesis = genesis(account, fields);
    days = new DayCheck(genesis, billingKeys);
    lastHash = genesis;
  }

  // An erased account has no salt, with which its former id could be guessed. The file of any other
  // account is bound to the id.
  private static ByteString genesis(String account, Fields fields) {
    return account.startsWith(PSEUDONYM) && fields.json().has("genesis")
        ? fields.hex("genesis")
        : StatementReceipt.genesis(account, fields.hex("salt"));
  }

  private void receipt(ReceiptLine next) {
    receipts++;
    isCoveredByKnownRoot = false;
    requireFollowing(next);
    requireContent(next);
    requireSum(next);
    if (!next.signature().isEmpty()) {
      requireSignature(SignedMessage.STATEMENT_RECEIPT, next.hash(), next.signature());
    }
    reports.check(next, this::find);
    before = next;
    lastHash = next.hash();
  }

  private void requireFollowing(ReceiptLine next) {
    ReceiptLine last = before;
    StatementReceipt receipt = next.receipt();
    long number = receipt.number();
    if (last == null && number > 1) {
      first = number;
      isAnchorOpen = true; // the root that must follow covers it
      return;
    }
    if (isAnchorOpen) {
      find(Rule.NUMBER, "no root covers the first receipt, so that those before it may be missing");
      isAnchorOpen = false;
    }
    first = last == null ? number : first;
    long expected = last == null ? 1 : last.receipt().number() + 1;
    if (number > expected) {
      find(Rule.NUMBER, missing(expected, number - 1));
    } else if (number < expected) {
      find(
          Rule.NUMBER,
          "receipt %d stands after receipt %d: it is repeated or moved"
              .formatted(number, expected - 1));
    } else if (!receipt.previous().equals(lastHash)) {
      find(Rule.CHAIN, "receipt %d does not name the receipt before it".formatted(number));
    } else if (receipt.balance()
        != (last == null ? 0 : last.receipt().balance()) + receipt.amount()) {
      find(
          Rule.BALANCE,
          "the balance of receipt %d is not the one before and its amount".formatted(number));
    }
  }

  private static String missing(long from, long to) {
    return from == to
        ? "receipt %d is missing".formatted(from)
        : "receipts %d to %d are missing".formatted(from, to);
  }

  private void requireContent(ReceiptLine next) {
    StatementReceipt receipt = next.receipt();
    if (!receipt.hash().equals(next.hash())) {
      find(Rule.HASH, "receipt %d is not what its hash was made of".formatted(receipt.number()));
    }
    if (!next.charges().isEmpty()) {
      if (!StatementCharge.digest(next.charges()).equals(receipt.charges())) {
        find(
            Rule.CHARGES,
            "the charges of receipt %d are not those that it was made for"
                .formatted(receipt.number()));
      }
    } else if (!receipt.charges().isEmpty()) {
      billsNotKept++;
      if (next.isBillKept()) {
        find(Rule.CHARGES, "the charges of receipt %d are missing".formatted(receipt.number()));
      }
    }
  }

  // Amount of a movement by its kind: of a bill, of one taken back, or the difference of two.
  private void requireSum(ReceiptLine next) {
    StatementReceipt receipt = next.receipt();
    String identity = receipt.identity();
    if (next.charges().isEmpty() || !identity.contains(":")) {
      return;
    }
    String interval = identity.substring(identity.indexOf(':') + 1).replaceFirst("#[^#/]*$", "");
    Long billed = bills.get(interval);
    long net = next.net();
    switch (receipt.kind()) {
      case "PROVISIONAL", "CORRECTION", "ADJUSTMENT" -> requireAmount(receipt, -net);
      case "REVERSAL" -> requireAmount(receipt, net);
      case "RERATING" -> {
        if (billed != null) {
          requireAmount(receipt, billed - net);
        }
      }
      default ->
          find(Rule.FORMAT, "a movement of the kind '" + receipt.kind() + "' has no charges");
    }
    bills.put(interval, receipt.kind().equals("REVERSAL") ? Long.valueOf(0) : Long.valueOf(net));
  }

  private void requireAmount(StatementReceipt receipt, long amount) {
    if (receipt.amount() != amount) {
      find(
          Rule.SUM,
          "the charges of receipt %d come to %d micro-denarii, it moves %d"
              .formatted(receipt.number(), amount, receipt.amount()));
    }
  }

  private void requireSignature(SignedMessage kind, ByteString hash, ByteString signature) {
    Keys.signer(kind, billingKeys, hash, signature)
        .ifPresentOrElse(
            signers::add, () -> find(Rule.SIGNATURE, "no key of billing has signed this line"));
  }

  private void day(Fields fields) {
    boolean isCovered =
        days.check(fields, before == null ? 0 : before.receipt().number(), lastHash, this::find);
    if (isCovered) {
      covered = before == null ? 0 : before.receipt().number();
      isAnchorOpen = false;
      LocalDate day = fields.day("day");
      ByteString root = fields.hex("root");
      isCoveredByKnownRoot |=
          root.equals(known.roots().get(day)) || root.equals(known.kept().get(day));
    }
  }

  private void end(Fields fields) {
    hasEnded = true;
    ByteString stated = fields.hex("digest");
    if (!stated.equals(soFar())) {
      find(Rule.END, "the lines before are not those that were signed");
    }
    if (fields.number("receipts") != receipts) {
      find(
          Rule.END,
          "the file was made with %d receipts, it has %d"
              .formatted(fields.number("receipts"), receipts));
    }
    requireSignature(SignedMessage.STATEMENT_FILE, stated, fields.base64("signature"));
  }

  private ByteString soFar() {
    try {
      return ByteString.copyFrom(((MessageDigest) digest.clone()).digest());
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("the JDK's SHA-256 can be copied", e);
    }
  }

  private Result result() {
    line = 0;
    if (!hasEnded) {
      find(Rule.END, "the last line is missing: the file was cut off");
    }
    if (isAnchorOpen) {
      find(Rule.NUMBER, "no root covers the first receipt, so that those before it may be missing");
    }
    TreeMap<LocalDate, ByteString> expected = new TreeMap<>(known.kept());
    if (!days.roots().isEmpty()) {
      expected.headMap(days.roots().firstKey()).clear();
    }
    expected.putAll(known.roots());
    expected.forEach((day, root) -> {
      ByteString found = days.roots().get(day);
      if (found == null) {
        find(
            Rule.PUBLISHED,
            "the file does not have the root of " + day + ": receipts may be missing at its end");
      } else if (!found.equals(root)) {
        find(
            Rule.PUBLISHED,
            "the root of %s is %s in the file, published is %s"
                .formatted(day, hex(found), hex(root)));
      }
    });
    requireKnown("billing", signers, known.billingKeys());
    reports
        .signers()
        .forEach((snapt, keys) -> requireKnown("SNAPT '" + snapt + "'", keys, known.snaptKeys()));
    return new Result(
        account,
        lines,
        receipts,
        first,
        before == null ? 0 : before.receipt().number(),
        before == null ? 0 : before.receipt().balance(),
        days.roots(),
        covered,
        reports.countersigned(),
        reports.withoutKey(),
        reports.byDevices(),
        reports.ofDevices(),
        reports.notKept() + billsNotKept,
        !known.billingKeys().isEmpty() || isCoveredByKnownRoot,
        Set.copyOf(signers),
        reports.signers(),
        List.copyOf(findings));
  }

  private void requireKnown(String whose, Set<ByteString> used, Set<ByteString> trusted) {
    if (!trusted.isEmpty() && !trusted.containsAll(used)) {
      find(Rule.KEY, "a key of " + whose + " is not one that you have named");
    }
  }

  private static String hex(ByteString octets) {
    return HexFormat.of().formatHex(octets.toByteArray());
  }
}

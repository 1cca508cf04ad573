package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.usage.statement.StatementCharge;
import io.viaduct.usage.statement.StatementReceipt;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The lines of a file with a statement: JSON objects, told apart by `type`. Hashes are
/// hexadecimal, keys, signatures and messages base64; amounts, counts and numbers are strings.
public final class StatementLines {
  /// Version of the format.
  public static final int FORMAT = 1;

  private static final JsonMapper JSON = JsonMapper.shared();

  private StatementLines() {}

  /// The report that a bill was made from.
  public sealed interface SignedReport permits Countersigned, ByDevice {}

  /// A report as its SNAPT signed it.
  ///
  /// @param content serialized UsageReport
  /// @param snaptKeys keys that the SNAPT had, one of which signed it; none if billing knows none
  /// @param device the device's agreement; null without one
  public record Countersigned(
      ByteString content,
      ByteString signature,
      List<ByteString> snaptKeys,
      @Nullable DeviceReceipt device)
      implements SignedReport {}

  /// A device's own report, which was billed because that of the SNAPT did not come (ADR 0062).
  ///
  /// @param content serialized DeviceReport
  /// @param key key of the device, by its session token
  public record ByDevice(ByteString content, ByteString signature, ByteString key)
      implements SignedReport {}

  /// A device's signature of the bytes of a report.
  ///
  /// @param receipt serialized Receipt
  public record DeviceReceipt(ByteString receipt, ByteString signature, ByteString key) {}

  /// Returns the first line.
  ///
  /// @param salt of the hash that the first receipt names; empty for an erased account
  /// @param genesis this hash, if the account was erased; empty if account and salt give it
  /// @param billingKeys keys that billing has signed with
  public static String begin(
      String account,
      ByteString salt,
      ByteString genesis,
      Instant madeAt,
      List<ByteString> billingKeys) {
    ObjectNode line = line("statement");
    line.put("format", FORMAT);
    line.put("account", account);
    line.put("salt", Hex.of(salt));
    if (!genesis.isEmpty()) {
      line.put("genesis", Hex.of(genesis));
    }
    line.put("madeAt", madeAt.toString());
    ArrayNode keys = line.putArray("billingKeys");
    billingKeys.forEach(key -> keys.add(base64(key)));
    return text(line);
  }

  /// Returns the line of a receipt.
  ///
  /// @param signature billing's signature; empty if a later one covers the receipt, or that of the
  ///   file
  /// @param charges the bill; empty if the movement is about none, or if it is not kept any more
  /// @param report the report that is billed; null if none is, if it is not kept any more, or if it
  ///   names neighbours
  public static String receipt(
      StatementReceipt receipt,
      ByteString signature,
      List<StatementCharge> charges,
      @Nullable SignedReport report) {
    ObjectNode line = line("receipt");
    line.put("number", Long.toString(receipt.number()));
    line.put("previous", Hex.of(receipt.previous()));
    line.put("hash", Hex.of(receipt.hash()));
    line.put("postedAt", Instant.EPOCH.plus(receipt.postedMicros(), ChronoUnit.MICROS).toString());
    line.put("kind", receipt.kind());
    line.put("identity", receipt.identity());
    line.put("note", receipt.note());
    line.put("amountMicrodenarii", Long.toString(receipt.amount()));
    line.put("balanceMicrodenarii", Long.toString(receipt.balance()));
    line.put("reportDigest", Hex.of(receipt.report()));
    line.put("chargesDigest", Hex.of(receipt.charges()));
    if (!charges.isEmpty()) {
      ArrayNode array = line.putArray("charges");
      charges.forEach(charge -> write(array.addObject(), charge));
    } else if (!receipt.charges().isEmpty()) {
      line.put("chargesKept", false);
    }
    if (report instanceof Countersigned countersigned) {
      write(line.putObject("report"), countersigned);
    } else if (report instanceof ByDevice byDevice) {
      write(line.putObject("report"), byDevice);
    } else if (!receipt.report().isEmpty()) {
      line.put("reportKept", false);
    }
    if (!signature.isEmpty()) {
      line.put("signature", base64(signature));
    }
    return text(line);
  }

  private static void write(ObjectNode json, StatementCharge charge) {
    json.put("charge", Long.toString(charge.id()));
    json.put("flow", Long.toString(charge.flow()));
    json.put("application", charge.application());
    json.put("serviceClass", charge.serviceClass());
    json.put("bytes", Long.toString(charge.bytes()));
    json.put("chargeMicrodenarii", Long.toString(charge.charge()));
    json.put("discountMicrodenarii", Long.toString(charge.discount()));
    json.put("accessFeeMicrodenarii", Long.toString(charge.accessFee()));
    json.put("surchargeMicrodenarii", Long.toString(charge.surcharge()));
    json.put("promiseRefundMicrodenarii", Long.toString(charge.refund()));
  }

  private static void write(ObjectNode json, Countersigned report) {
    json.put("content", base64(report.content()));
    json.put("signature", base64(report.signature()));
    ArrayNode keys = json.putArray("snaptKeys");
    report.snaptKeys().forEach(key -> keys.add(base64(key)));
    if (report.device() != null) {
      ObjectNode device = json.putObject("device");
      device.put("receipt", base64(report.device().receipt()));
      device.put("signature", base64(report.device().signature()));
      device.put("key", base64(report.device().key()));
    }
  }

  private static void write(ObjectNode json, ByDevice report) {
    json.put("content", base64(report.content()));
    json.put("signature", base64(report.signature()));
    json.put("deviceKey", base64(report.key()));
  }

  /// Returns the line of a day's root, which stands after the last receipt that it covers.
  ///
  /// @param number number of that receipt
  /// @param position leaf of the account
  /// @param proof siblings on the way to the tree's root
  public static String day(PublishedRoot root, long number, long position, List<ByteString> proof) {
    ObjectNode line = line("day");
    line.put("day", root.root().day().toString());
    line.put("number", Long.toString(number));
    line.put("position", Long.toString(position));
    line.put("accounts", Long.toString(root.root().accounts()));
    ArrayNode siblings = line.putArray("proof");
    proof.forEach(hash -> siblings.add(Hex.of(hash)));
    line.put("tree", Hex.of(root.root().tree()));
    line.put("previous", Hex.of(root.root().previous()));
    line.put("root", Hex.of(root.hash()));
    line.put("signature", base64(root.signature()));
    return text(line);
  }

  /// Returns the last line.
  ///
  /// @param digest SHA-256 of all octets before this line
  public static String end(long receipts, ByteString digest, ByteString signature) {
    ObjectNode line = line("end");
    line.put("receipts", Long.toString(receipts));
    line.put("digest", Hex.of(digest));
    line.put("signature", base64(signature));
    return text(line);
  }

  private static ObjectNode line(String type) {
    return JSON.createObjectNode().put("type", type);
  }

  private static String text(ObjectNode line) {
    return JSON.writeValueAsString(line);
  }

  private static String base64(ByteString octets) {
    return Base64.getEncoder().encodeToString(octets.toByteArray());
  }
}

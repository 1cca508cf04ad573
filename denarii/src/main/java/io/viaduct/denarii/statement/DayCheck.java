package io.viaduct.denarii.statement;

import com.google.protobuf.ByteString;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.statement.MerkleTree;
import io.viaduct.usage.statement.StatementRoot;
import java.time.LocalDate;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Checks the lines of days: that each root covers the receipts before it, and names the root
/// before.
final class DayCheck {
  private final ByteString genesis;
  private final Collection<ByteString> billingKeys;
  private final TreeMap<LocalDate, ByteString> roots = new TreeMap<>();

  DayCheck(ByteString genesis, Collection<ByteString> billingKeys) {
    this.genesis = genesis;
    this.billingKeys = billingKeys;
  }

  /// Returns the roots by day.
  TreeMap<LocalDate, ByteString> roots() {
    return roots;
  }

  /// @param number number of the last receipt before the line
  /// @param hash its hash
  /// @return true if the root covers that receipt
  boolean check(Fields line, long number, ByteString hash, BiConsumer<Rule, String> finding) {
    LocalDate day = line.day("day");
    StatementRoot root =
        new StatementRoot(day, line.number("accounts"), line.hex("tree"), line.hex("previous"));
    ByteString stated = line.hex("root");
    if (!root.hash().equals(stated)) {
      finding.accept(Rule.ROOT, "the root of " + day + " is not that of its tree");
    }
    if (Keys.signer(SignedMessage.STATEMENT_ROOT, billingKeys, stated, line.base64("signature"))
        .isEmpty()) {
      finding.accept(Rule.SIGNATURE, "the root of " + day + " is not signed by a key of billing");
    }
    Map.@Nullable Entry<LocalDate, ByteString> last = roots.lastEntry();
    if (last != null
        && (!last.getKey().isBefore(day) || !root.previous().equals(last.getValue()))) {
      finding.accept(
          Rule.ROOT,
          "the root of %s does not follow that of %s: a day is missing, or moved"
              .formatted(day, last.getKey()));
    }
    roots.putIfAbsent(day, stated);
    return covers(line, root, number, hash, finding);
  }

  private boolean covers(
      Fields line,
      StatementRoot root,
      long number,
      ByteString hash,
      BiConsumer<Rule, String> finding) {
    long covered = line.number("number");
    if (covered != number) {
      finding.accept(
          Rule.ROOT,
          "the root of %s covers the receipts until %d, before it the file ends with %d"
              .formatted(root.day(), covered, number));
      return false;
    }
    Optional<ByteString> reached =
        MerkleTree.root(
            StatementRoot.leaf(genesis, number, hash),
            line.number("position"),
            root.accounts(),
            line.hexList("proof"));
    boolean isCovered = reached.filter(root.tree()::equals).isPresent();
    if (!isCovered) {
      finding.accept(
          Rule.ROOT,
          "receipt %d with hash %s is not what the root of %s covers"
              .formatted(number, HexFormat.of().formatHex(hash.toByteArray()), root.day()));
    }
    return isCovered;
  }
}

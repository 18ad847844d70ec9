#!/usr/bin/perl
# Draws changes of the program, each of which breaks one rule: draw.pl SEED SAME FILE... prints them in a random order that
# the seed decides, one per line of the program: file, line number, the line as it is, the line as it becomes.
#
# A rule is a line in a function that decides something. Not drawn: comments, declarations, checks of the program by itself
# (assert, panic, *_check, HEDDLE_CHECKS), texts for people (reports, dumps, errors), prefetches, what only gives memory back
# or asks for more of it, and the changes that SAME lists, since no test can tell them: a file, a tab, the line, a tab, what it
# becomes.
use strict;
use warnings;

my ($seed, $same_file, @files) = @ARGV;
my $random = $seed * 2654435761 % 4294967296;

sub below { # a number below $_[0]
    $random = ($random * 1103515245 + 12345) % 2147483648;
    return int($random / 2147483648 * $_[0]);
}

my %same;
open my $list, '<', $same_file or die "$same_file: $!\n";
while (<$list>) {
    chomp;
    $same{$_} = 1 unless /^#/;
}

# The text with the inside of comments, strings and character constants replaced by as many '~'.
sub bare {
    my ($text) = @_;
    $text =~ s{(/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}{my $s = $1; $s =~ s/[^\n]/~/g; $s}egs;
    return $text;
}

# Where the bracket that is open at $at, or opens there, is closed; -1 if not in this line.
sub closing {
    my ($code, $at) = @_;
    my $depth = 0;
    for (my $i = $at; $i < length $code; $i++) {
        my $c = substr $code, $i, 1;
        $depth++ if $c =~ /[(\[{]/;
        return $i if $c =~ /[)\]}]/ && --$depth == 0;
    }
    return -1;
}

# The operand that ends before $at, or begins at it: its first place and the one after its last. It ends at an operator that
# binds less than &&, or at a bracket around it.
sub operand {
    my ($code, $at, $step) = @_;
    my $depth = 0;
    my $i = $step < 0 ? $at - 1 : $at;
    for (; $i >= 0 && $i < length $code; $i += $step) {
        my $c = substr $code, $i, 1;
        $depth++ if $c =~ ($step < 0 ? qr/[)\]}]/ : qr/[(\[{]/);
        if ($c =~ ($step < 0 ? qr/[(\[{]/ : qr/[)\]}]/)) {
            last if $depth-- == 0;
        }
        next if $depth;
        last if $c =~ /[,;?:]/;
        last if $step < 0 ? substr($code, 0, $i + 1) =~ /(&&|\|\||[^=!<>]=|\breturn)$/ : substr($code, $i, 2) =~ /^(&&|\|\|)$/;
    }
    my ($from, $to) = $step < 0 ? ($i + 1, $at) : ($at, $i);
    my $found = substr $code, $from, $to - $from;
    return ($from + ($found =~ /^(\s*)/ ? length $1 : 0), $to - ($found =~ /(\s*)$/ ? length $1 : 0));
}

my %other = (
    '<' => ['<='], '<=' => ['<'], '>' => ['>='], '>=' => ['>'], '==' => ['!='], '!=' => ['=='], '&&' => ['||'], '||' => ['&&'],
    '+' => ['-'], '-' => ['+'], '*' => ['+'], '/' => ['*'], '%' => ['/'], '&' => ['|'], '|' => ['&'], '^' => ['|'], '<<' => ['>>'],
    '>>' => ['<<'], '+=' => ['-=', '='], '-=' => ['+=', '='], '|=' => ['&=', '='], '&=' => ['|=', '='], '<<=' => ['>>='],
    '>>=' => ['<<=']);

my $declaration = qr{^\s* (?:(?:static|const)\s+)* (?:struct|enum|union|unsigned)?\s* \w+\s+ \*?(?:const\s+)?\w+ (?:\[[^\]]*\])?\s* [=,;]}x;

# All changes of a line: pairs of a kind and the line as it becomes. $code is the line without texts and comments, $before the
# code line before it, $type that of the function's result.
sub changes {
    my ($line, $code, $before, $type) = @_;
    my @found;
    my $put = sub { # ($from, $to) becomes $new
        my ($from, $to, $new) = @_;
        my $changed = $line;
        substr $changed, $from, $to - $from, $new;
        push @found, $changed;
    };
    my $is_start = $before =~ /[;{})~:]\s*$|\belse\s*$|^\s*$/ && $before !~ /\bfor \([^)]*$/;
    my $declares = $code =~ $declaration && $code !~ /^\s*(return|else|goto|case)\b/;
    if ($code =~ /\b(?:if|while) \(/) { # a negated condition, where it is whole
        my $close = closing($code, $+[0] - 1);
        $put->($+[0], $close, '!(' . substr($line, $+[0], $close - $+[0]) . ')') if $close > 0;
    }
    while ($code =~ / (<<=|>>=|\+=|-=|\|=|&=|<=|>=|==|!=|&&|\|\||<<|>>|[<>+\-*\/%&|^]) /g) {
        my ($from, $to, $is) = ($-[1], $+[1], $1);
        $put->($from, $to, $_) for @{$other{$is}};
        $put->($from - 1, $from + length "$is 1", '') if $is =~ /^[+-]$/ && substr($code, $from) =~ /^. 1\b(?!\s*<<)/;
        if ($is eq '&&' || $is eq '||') { # an operand less
            my ($first, $after) = operand($code, $from, -1);
            my ($begin, $end) = operand($code, $to, 1);
            $put->($first, $begin, '') if $after > $first && $end > $begin;
            $put->($after, $end, '') if $after > $first && $end > $begin;
        }
    }
    while ($code =~ / \? /g) {
        my ($first, $after) = operand($code, $-[0], -1);
        $put->($first, $after, '!(' . substr($line, $first, $after - $first) . ')') if $after > $first;
    }
    while ($code =~ /(\+\+|--)/g) {
        $put->($-[1], $+[1], $1 eq '++' ? '--' : '++');
    }
    while ($code =~ /\b(true|false)\b/g) {
        $put->($-[1], $+[1], $1 eq 'true' ? 'false' : 'true');
    }
    while ($code =~ /(?<![\w.])(\d+)(u|ull|ul)?\b/g) {
        next if substr($code, 0, $-[1]) =~ /\bxcalloc\($/; # memory for more than is asked for
        $put->($-[1], $+[1], $1 + 1);
        $put->($-[1], $+[1], $1 - 1) if $1 > 1;
    }
    while ($code =~ /(?<=[( =,])!(?=[\w(])/g) {
        $put->($-[0], $+[0], '');
    }
    while ($code =~ /(?<=[( =&|])~(?=[a-z(])/g) {
        $put->($-[0], $+[0], '') if substr($line, $-[0], 1) eq '~';
    }
    while ($code =~ /(min|max)(?=\()/gi) {
        my $is = $1;
        $put->($-[1], $+[1], {min => 'max', max => 'min', MIN => 'MAX', MAX => 'MIN'}->{$is});
    }
    if ($code =~ /\breturn ([^;]+);/ && $type eq 'bool' && $1 !~ /^(true|false)$/) {
        $put->($-[1], $+[1], '!(' . substr($line, $-[1], $+[1] - $-[1]) . ')');
    }
    if ($is_start && !$declares && $code =~ /^\s*(\S.*;)\s*~*\s*$/) { # a statement less, or the rest of the function less
        my ($from, $statement) = ($-[1], $1);
        my $end = $from + ($statement =~ /^(.*;)/ ? length $1 : 0);
        my $does = $statement =~ /^[\w*(][^;]*(\)|\+\+|--|=.*);/ && $statement !~ /^(return|if|for|while|do|case|default|else|goto|switch)\b/;
        if ($does || $statement =~ /^(break|continue|return);/) {
            $put->($from, $end, ';');
            $put->($from, $end, 'return;') if $type eq 'void' && $statement !~ /^return/;
        }
    }
    my %seen = ($line => 1);
    return grep { !$seen{$_}++ } @found;
}

# Calls that check the program or speak to people, and functions that do nothing else.
my $text_or_check = qr/\b(assert|static_assert|panic|fatal|text_\w+|\w*printf|\w*error\w*|__builtin_prefetch|\w*free|\w+_destroy|\w+_close)\b/;
my $no_rules = qr/_(dump|describe|report|print|help|explain|why|text|words|error|destroy|close|free)s?$
                  |(?<!livelock)_check$ |^(check|dump|describe|report|print|write|say)_ |_(dump|describe|print|check)_/x;

my @rules;
for my $file (@files) {
    next if $file =~ m{(_report|/report\w*|_words)\.[ch]$};
    open my $in, '<', $file or die "$file: $!\n";
    my $text = do { local $/; <$in> };
    my @lines = split /\n/, $text;
    my @codes = split /\n/, bare($text);
    my ($function, $type, $before, $in_checks, $continued) = ('', '', '', 0, '');
    for my $i (0 .. $#lines) {
        my ($line, $code) = ($lines[$i], $codes[$i] // '');
        $in_checks = 1 if $code =~ /^#if.*HEDDLE_CHECKS/;
        $in_checks = 0 if $code =~ /^#(else|endif)/;
        if ($code =~ /^[a-z]/) { # a function's head, or something that is none
            ($function, $type) = ('', '');
            if ($code =~ /^(?:static |inline |const |struct |enum )*(\w+) \*?(\w+)\(/) {
                ($function, $type) = ($2, $code =~ /\) *;$/ ? '' : $1);
                $function = '' if $code =~ /;\s*$/;
            }
        }
        my $is_code = $function && $code =~ /^\s/ && $code =~ /\w/ && !$in_checks;
        my $is_text = $code =~ $text_or_check || $line =~ /"/ || $function =~ $no_rules;
        if ($is_code && !$is_text && $continued !~ /"|text_|panic|assert|fatal/) {
            my @changes = grep { !$same{join "\t", $file, map { s/^\s+//r } $line, $_} } changes($line, $code, $before, $type);
            push @rules, [$file, $i + 1, $line, \@changes] if @changes;
        }
        $continued = $code =~ /[;{}]\s*$/ ? '' : "$continued$line" if $code =~ /\w/;
        $before = $code if $code =~ /[^\s~]/;
    }
}

print STDERR scalar(@rules), " rules\n";
for (my $i = @rules; $i > 0; $i--) {
    my $which = below($i);
    my ($file, $number, $line, $changes) = @{$rules[$which]};
    $rules[$which] = $rules[$i - 1];
    print join("\t", $file, $number, $line, $changes->[below(scalar @$changes)]), "\n";
}

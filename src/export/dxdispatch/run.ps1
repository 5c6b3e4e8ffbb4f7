<#
.SYNOPSIS
Runs the cases of this folder with DxDispatch and packs the answers into results.zip.

.DESCRIPTION
Each case runs in a process of its own. A run that was cut off goes on where it ended: cases that have an answer are
left alone. Works with Windows PowerShell 5.1 and with PowerShell 7.

.PARAMETER DxDispatch
The path of dxdispatch.exe. The DirectML.dll beside it is the one that is certified.

.PARAMETER Adapter
A part of the name of the adapter to run on; upper and lower case differ. Without it, the tool's first one.

.PARAMETER FeatureLevel
The feature level of this DirectML, such as 6_4. Needed where DxDispatch has no option to find it out.

.PARAMETER Filter
Only the cases whose id is like this, such as directml/argmax/*.

.PARAMETER Redo
Runs cases again that have an answer.

.PARAMETER DebugLayer
Runs with the debug layer, whose messages say why a descriptor was refused. It must be installed, and it is slow.

.PARAMETER TimeoutSeconds
How long a case may take before its process is ended.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [string] $DxDispatch,
    [string] $Adapter = '',
    [string] $FeatureLevel = '',
    [string] $Filter = '*',
    [switch] $Redo,
    [switch] $DebugLayer,
    [ValidateRange(1, 86400)]
    [int] $TimeoutSeconds = 120
)

Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

# The highest first.
$Levels = @('6_4', '6_3', '6_2', '6_1', '6_0', '5_2', '5_1', '5_0', '4_1', '4_0', '3_1', '3_0', '2_1', '2_0', '1_0')
$OutputFolders = @('outputs', 'again')
$Root = $PSScriptRoot
$Log = Join-Path $Root 'run.log'
# Windows PowerShell would put a byte order mark in front.
$Utf8 = New-Object System.Text.UTF8Encoding($false)

function Read-Json([string] $Path) {
    return [System.IO.File]::ReadAllText($Path, $Utf8) | ConvertFrom-Json
}

function Write-Json([string] $Path, $Value) {
    [System.IO.File]::WriteAllText($Path, ((ConvertTo-Json -InputObject $Value -Depth 8) + "`n"), $Utf8)
}

# Runs the tool, and gives its exit code in eight hexadecimal digits with what it wrote.
function Invoke-Tool([string[]] $Arguments, [string] $Folder, [int] $Seconds) {
    $start = New-Object System.Diagnostics.ProcessStartInfo
    $start.FileName = $Tool
    $start.Arguments = (@($Arguments | ForEach-Object { '"' + $_ + '"' }) -join ' ')
    $start.WorkingDirectory = $Folder
    $start.UseShellExecute = $false
    $start.CreateNoWindow = $true
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    $process = New-Object System.Diagnostics.Process
    $process.StartInfo = $start
    [void] $process.Start()
    # Both at a time, so that neither pipe fills up while the other one is read.
    $reading = @($process.StandardOutput.ReadToEndAsync(), $process.StandardError.ReadToEndAsync())
    $ended = $process.WaitForExit($Seconds * 1000)
    if (-not $ended) {
        try { $process.Kill() } catch { Write-Verbose "$_" }
        [void] $process.WaitForExit(10000)
    }
    $text = @('', '')
    foreach ($index in 0, 1) {
        try {
            if ($reading[$index].Wait(10000)) { $text[$index] = $reading[$index].Result }
        } catch { Write-Verbose "$_" }
    }
    $exit = ''
    if ($ended) { $exit = '{0:X8}' -f $process.ExitCode }
    $process.Dispose()
    return New-Object PSObject -Property @{ Exit = $exit; Output = $text[0]; Errors = $text[1]; Ended = $ended }
}

# Whether a rule fits: one of its phrases, one of its codes and one of its exit codes, where it has any. A rule with
# codes and exit codes but without phrases asks for one or the other.
function Test-Rule($Rule, [string] $Errors, [string] $Exit) {
    $phrases = @($Rule.phrases)
    $said = @($phrases | Where-Object { $Errors.Contains($_) }).Count -gt 0
    if ($phrases.Count -gt 0 -and -not $said) { return $false }
    $codes = @($Rule.codes)
    $exits = @($Rule.exits)
    if ($codes.Count -eq 0 -and $exits.Count -eq 0) { return $true }
    $upper = $Errors.ToUpperInvariant()
    foreach ($code in $codes) { if ($upper.Contains($code)) { return $true } }
    foreach ($code in $exits) { if ($Exit.StartsWith($code)) { return $true } }
    return $false
}

function Get-Meaning([string] $Errors, [string] $Exit) {
    foreach ($rule in $Rules) {
        if (Test-Rule $rule $Errors $Exit) { return $rule.means }
    }
    return 'failed'
}

function Get-Short([string] $Text, [string] $Otherwise) {
    $short = $Text.Trim()
    if ($short -eq '') { return $Otherwise }
    if ($short.Length -gt 2000) { return $short.Substring(0, 2000) }
    return $short
}

# The answer that stands for how a process ended without outputs.
function Get-Answer([string] $Meaning, [string] $Reason) {
    switch ($Meaning) {
        'rejected' { return @{ rejected = @{ reason = $Reason } } }
        'unsupported' { return @{ unsupported = @{ reason = $Reason } } }
        default { return @{ fault = @{ $Meaning = $Reason } } }
    }
}

function Get-ToolOptions {
    $options = @()
    if ($Adapter -ne '') { $options += @('--adapter', $Adapter) }
    if ($DebugLayer) { $options += '--debug' }
    # Without it the tool asks for a level of its own, which an older DirectML may not have.
    if ($LeastLevel -ne '') { $options += @('--dml_feature_level', $LeastLevel.Replace('_', '.')) }
    return $options
}

# Creates a device and nothing else.
function Invoke-Probe {
    return Invoke-Tool (@(Get-ToolOptions) + (Join-Path $Root 'probe.json')) $Root $TimeoutSeconds
}

# The outputs that a case asks for, in both folders; none where it is to be compiled only.
function Get-OutputFiles($Case, [string] $Folder) {
    if ($Case.task -ne 'run') { return @() }
    $names = @($Case.outputs.PSObject.Properties | ForEach-Object { $_.Name })
    foreach ($below in $OutputFolders) {
        foreach ($name in $names) { Join-Path (Join-Path $Folder $below) "$name.npy" }
    }
}

function Test-Files([string[]] $Files) {
    foreach ($file in $Files) { if (-not [System.IO.File]::Exists($file)) { return $false } }
    return $true
}

# Runs a case, leaves its outputs or its answer, and says in a word what came of it.
function Invoke-Case([string] $Folder, $Case) {
    $answer = Join-Path $Folder 'answer.json'
    $files = @(Get-OutputFiles $Case $Folder)
    foreach ($file in @($files) + $answer) {
        if ([System.IO.File]::Exists($file)) { [System.IO.File]::Delete($file) }
    }
    if ($files.Count -gt 0) {
        foreach ($below in $OutputFolders) { [void] [System.IO.Directory]::CreateDirectory((Join-Path $Folder $below)) }
    }
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $ran = Invoke-Tool (@(Get-ToolOptions) + (Join-Path $Folder 'model.json')) $Folder $TimeoutSeconds
    $line = '{0} exit {1} after {2} ms' -f $Case.case, $ran.Exit, $clock.ElapsedMilliseconds
    [System.IO.File]::AppendAllText($Log, "$line`n", $Utf8)
    if (-not $ran.Ended) {
        foreach ($file in $files) { if ([System.IO.File]::Exists($file)) { [System.IO.File]::Delete($file) } }
        Write-Json $answer (Get-Answer 'hung' "no answer within $TimeoutSeconds seconds")
        return 'hung'
    }
    $complete = Test-Files $files
    $meaning = Get-Meaning $ran.Errors $ran.Exit
    if ($ran.Exit -eq '00000000' -and $complete -and $meaning -eq 'failed') {
        # No rule fits but the last one, and the tool says that all is well. This file comes last: a case without it is
        # run again.
        [System.IO.File]::WriteAllText($answer, "`"compiled`"`n", $Utf8)
        if ($files.Count -gt 0) { return 'run' }
        return 'compiled'
    }
    foreach ($file in $files) { if ([System.IO.File]::Exists($file)) { [System.IO.File]::Delete($file) } }
    $reason = Get-Short $ran.Errors "exit code 0x$($ran.Exit) without a message"
    if ($meaning -eq 'stop') {
        throw "DxDispatch did not come as far as $($Case.case): $reason"
    }
    Write-Json $answer (Get-Answer $meaning $reason)
    return $meaning
}

# The DirectML.dll that the tool loads: as it says itself, else the one beside it, else that of Windows.
function Find-DirectML([string] $Dependencies) {
    $found = @()
    $named = [regex]::Match($Dependencies, '(?i)[a-z]:\\[^\r\n"*?<>|]*\\directml\.dll')
    if ($named.Success) { $found += $named.Value }
    $found += Join-Path (Split-Path -Parent $Tool) 'DirectML.dll'
    $found += Join-Path ([System.Environment]::SystemDirectory) 'DirectML.dll'
    foreach ($path in $found) { if ([System.IO.File]::Exists($path)) { return $path } }
    return ''
}

# The version of the driver of an adapter, where Windows tells.
function Find-Driver([string] $Name) {
    try {
        $all = @(Get-CimInstance -ClassName Win32_VideoController | Where-Object { $_.Name -eq $Name })
        if ($all.Count -gt 0) { return [string] $all[0].DriverVersion }
    } catch { Write-Verbose "$_" }
    return ''
}

function Compress-Results {
    Add-Type -AssemblyName System.IO.Compression
    Add-Type -AssemblyName System.IO.Compression.FileSystem
    $packed = Join-Path $Root 'results.zip'
    $unfinished = "$packed.unfinished"
    if ([System.IO.File]::Exists($unfinished)) { [System.IO.File]::Delete($unfinished) }
    $archive = [System.IO.Compression.ZipFile]::Open($unfinished, [System.IO.Compression.ZipArchiveMode]::Create)
    try {
        foreach ($name in 'opcert.json', 'backend.json', 'dependencies.txt', 'run.log') {
            $file = Join-Path $Root $name
            if ([System.IO.File]::Exists($file)) {
                [void] [System.IO.Compression.ZipFileExtensions]::CreateEntryFromFile($archive, $file, $name)
            }
        }
        $cases = Join-Path $Root 'cases'
        foreach ($file in [System.IO.Directory]::GetFiles($cases, '*', [System.IO.SearchOption]::AllDirectories)) {
            $leaf = [System.IO.Path]::GetFileName($file)
            $below = [System.IO.Path]::GetFileName([System.IO.Path]::GetDirectoryName($file))
            $above = [System.IO.Path]::GetFileName(
                [System.IO.Path]::GetDirectoryName([System.IO.Path]::GetDirectoryName($file)))
            $output = ($OutputFolders -contains $below) -and ($above -ne 'inputs')
            if ($leaf -eq 'answer.json' -or $output) {
                $name = $file.Substring($Root.Length).TrimStart('\', '/').Replace('\', '/')
                [void] [System.IO.Compression.ZipFileExtensions]::CreateEntryFromFile($archive, $file, $name)
            }
        }
    } finally {
        $archive.Dispose()
    }
    if ([System.IO.File]::Exists($packed)) { [System.IO.File]::Delete($packed) }
    [System.IO.File]::Move($unfinished, $packed)
    return $packed
}

$Tool = (Resolve-Path -LiteralPath $DxDispatch).ProviderPath
$Rules = @((Read-Json (Join-Path $Root 'rules.json')).rules)
$Manifest = Read-Json (Join-Path $Root 'opcert.json')

# Which device, which DirectML, which feature level.
$help = Invoke-Tool @('--help') $Root $TimeoutSeconds
$knowsLevel = $help.Output.Contains('dml_feature_level')
$wanted = $FeatureLevel.Replace('.', '_')
if ($wanted -ne '' -and -not ($Levels -contains $wanted)) {
    throw "$FeatureLevel is no feature level; there are $($Levels -join ', ')"
}
$LeastLevel = ''
$highest = ''
if ($knowsLevel) {
    foreach ($level in $Levels) {
        $LeastLevel = $level
        $probe = Invoke-Probe
        if ($probe.Exit -eq '00000000') { $highest = $level; break }
        if (-not $probe.Ended) { throw "DxDispatch creates no device within $TimeoutSeconds seconds" }
        # The level is not there: DXGI_ERROR_UNSUPPORTED or E_INVALIDARG. Anything else says nothing of levels.
        if (-not ($probe.Errors.ToUpperInvariant() -match '887A0004|80070057') -and -not ($probe.Exit -match '887A0004|80070057')) {
            throw "DxDispatch creates no device: $(Get-Short ($probe.Errors + $probe.Output) "exit code 0x$($probe.Exit)")"
        }
    }
} else {
    $probe = Invoke-Probe
}
if ($probe.Exit -ne '00000000') {
    throw "DxDispatch creates no device: $(Get-Short ($probe.Errors + $probe.Output) "exit code 0x$($probe.Exit)")"
}
if ($highest -eq '' -and $wanted -eq '') {
    throw 'this DxDispatch cannot be asked for a feature level: say with -FeatureLevel which one its DirectML has'
}
if ($wanted -eq '') { $wanted = $highest }
if ($highest -ne '' -and $wanted -ne $highest) {
    throw "this DirectML answers at the feature level $highest, and $wanted was asked for"
}
$asked = $Levels[0]
if ($Manifest.PSObject.Properties['level'] -and $Manifest.level) { $asked = [string] $Manifest.level }
if ($wanted -ne $asked) {
    # What is refused at one level may be valid at another.
    throw "this DirectML answers at the feature level $wanted, and the cases ask at ${asked}: export them with --level $wanted"
}

$dependencies = Invoke-Tool @('--show_dependencies') $Root $TimeoutSeconds
[System.IO.File]::WriteAllText((Join-Path $Root 'dependencies.txt'), $dependencies.Output + $dependencies.Errors, $Utf8)
$library = Find-DirectML ($dependencies.Output + $dependencies.Errors)
$version = 'unknown'
if ($library -ne '') { $version = [string] ([System.Diagnostics.FileVersionInfo]::GetVersionInfo($library).ProductVersion) }
$device = 'unknown'
$running = [regex]::Match($probe.Output, "Running on '([^\r\n]*)'")
if ($running.Success) { $device = $running.Groups[1].Value }
# Without its name, two adapters could not be told apart.
elseif ($Adapter -ne '') { $device = $Adapter }
else { throw 'DxDispatch does not say which adapter it runs on: name one with -Adapter' }
$driver = Find-Driver $device
if ($driver -ne '') { $device = "$device (driver $driver)" }
if ($DebugLayer) { $device = "$device, debug layer" }

# Answers of two devices must not get into one folder.
$backendFile = Join-Path $Root 'backend.json'
$backend = New-Object PSObject -Property @{
    name = 'directml'; version = $version; device = $device; claims = @{ directml = $wanted }
    strided = $true; refuses_invalid = $true
}
if ($Redo -and $Filter -eq '*') {
    # All answers go before anything is written: cut off half-way, none may pass for another's.
    foreach ($file in [System.IO.Directory]::GetFiles((Join-Path $Root 'cases'), 'answer.json', [System.IO.SearchOption]::AllDirectories)) {
        [System.IO.File]::Delete($file)
    }
    if ([System.IO.File]::Exists($backendFile)) { [System.IO.File]::Delete($backendFile) }
    $Redo = $false
}
if ([System.IO.File]::Exists($backendFile)) {
    $before = Read-Json $backendFile
    if ($before.version -ne $version -or $before.device -ne $device -or $before.claims.directml -ne $wanted) {
        throw "the answers here are those of DirectML $($before.version), $($before.claims.directml), on $($before.device); " +
            "this is $version, $wanted, on $device. Start from a fresh copy of the folder, or run all cases again with -Redo"
    }
}
Write-Json $backendFile $backend
Write-Host "DirectML $version, feature level $wanted, on $device"

$Cases = Join-Path $Root 'cases'
$models = @([System.IO.Directory]::GetFiles($Cases, 'model.json', [System.IO.SearchOption]::AllDirectories) | Sort-Object)
$longest = 0
foreach ($model in $models) { $longest = [Math]::Max($longest, $model.Length + '\inputs\again\.npy'.Length + 30) }
if ($longest -gt 259) {
    throw "paths here have up to $longest characters, and DxDispatch reads 259: move the folder nearer to the drive's root"
}
$counts = @{}
$done = 0
foreach ($model in $models) {
    $done += 1
    $folder = [System.IO.Path]::GetDirectoryName($model)
    $id = $folder.Substring($Cases.Length).TrimStart('\', '/').Replace('\', '/')
    if (-not ($id -like $Filter)) { continue }
    Write-Progress -Activity 'opcert' -Status $id -PercentComplete (100 * $done / $models.Count)
    $case = Read-Json (Join-Path $folder 'case.json')
    $answered = [System.IO.File]::Exists((Join-Path $folder 'answer.json'))
    $outcome = 'there already'
    if ($Redo -or -not $answered) { $outcome = Invoke-Case $folder $case }
    $counts[$outcome] = 1 + [int] $counts[$outcome]
}
Write-Progress -Activity 'opcert' -Completed

foreach ($outcome in @($counts.Keys | Sort-Object)) { Write-Host ('{0,6} {1}' -f $counts[$outcome], $outcome) }
$packed = Compress-Results
Write-Host "send back $packed"
